-- assessment_lock: key of the advisory lock on one document of an annotator's sheet.
CREATE OR REPLACE FUNCTION assessment_lock(pool text, annotator text, token text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT hashtextextended(
        jsonb_build_array('assess', assessment_lock.pool, assessment_lock.annotator,
                          assessment_lock.token)::text COLLATE "C", 0)
$$;
COMMENT ON FUNCTION assessment_lock(text, text, text) IS
    'The key of the advisory lock on one document of an annotator''s sheet';
