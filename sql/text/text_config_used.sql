-- text_config_used: return true if the text index or a column was made with this text search configuration.
CREATE OR REPLACE FUNCTION text_config_used(config oid)
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN EXISTS (SELECT FROM text_index i WHERE i.config = text_config_used.config)
    OR EXISTS (SELECT FROM pg_depend p
                WHERE p.refclassid = 'pg_ts_config'::regclass AND p.refobjid = text_config_used.config
                  AND p.classid <> 'pg_ts_config'::regclass);
COMMENT ON FUNCTION text_config_used(oid) IS
'True if the text index or a column depends on a text search configuration';
