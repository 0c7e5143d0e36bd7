-- text_config_used: whether the text index, or the column that it stands on, was made with a text search configuration.
CREATE OR REPLACE FUNCTION text_config_used(config oid)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
RETURN EXISTS (SELECT FROM text_index i WHERE i.config = text_config_used.config)
    OR EXISTS (SELECT FROM pg_depend p
                WHERE p.refclassid = 'pg_ts_config'::regclass AND p.refobjid = text_config_used.config
                  AND p.classid <> 'pg_ts_config'::regclass);
COMMENT ON FUNCTION text_config_used(oid) IS 'Whether the text index or a column stands on a text search configuration';
