-- plain_metadata: a JSON value of a run as programs can read it: unchanged if is_metadata allows it, else {}. NULL for
-- NULL.
--
-- Readers use it, because rows of earlier versions are repaired only at the end of an upgrade.
CREATE OR REPLACE FUNCTION plain_metadata(value jsonb, levels integer DEFAULT 32) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE is_metadata(plain_metadata.value, plain_metadata.levels) WHEN false THEN '{}'
                ELSE plain_metadata.value END
$$;
COMMENT ON FUNCTION plain_metadata(jsonb, integer) IS 'A JSON value of a run if programs can read it, else {}';
