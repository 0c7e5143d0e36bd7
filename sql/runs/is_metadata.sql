-- is_metadata: return true if a JSON value can describe a run: an object of at most so many levels, whose numbers fit
-- double precision.
--
-- Python, browsers and other programs fail on deeper values and on larger numbers, and expect an object. The CHECK
-- constraints *_object_check of the columns that members write are equal (stcollection/db/rules.py). A path with a
-- limit of levels needs no deep stack. NULL for NULL.
CREATE OR REPLACE FUNCTION is_metadata(value jsonb, levels integer DEFAULT 32) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT jsonb_typeof(is_metadata.value) = 'object'
       AND NOT jsonb_path_exists(is_metadata.value, concat('strict $.**{', is_metadata.levels + 1, '}')::jsonpath)
       AND NOT jsonb_path_exists(is_metadata.value, concat(
           'strict $.**{0 to ', is_metadata.levels,
           '} ? (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308)')::jsonpath)
$$;
COMMENT ON FUNCTION is_metadata(jsonb, integer) IS
'True for a JSON object of at most so many levels whose numbers fit double precision';
