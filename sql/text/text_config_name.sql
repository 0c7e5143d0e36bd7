-- text_config_name: the name of a text search configuration for an option of an index: PostgreSQL 17 and later build
-- indexes with pg_catalog alone on the search_path, so one of somebody's own needs its schema.
CREATE OR REPLACE FUNCTION text_config_name(config regconfig)
RETURNS text
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
RETURN (SELECT CASE WHEN c.cfgnamespace = 'pg_catalog'::regnamespace THEN quote_ident(c.cfgname)
                    ELSE format('%I.%I', c.cfgnamespace::regnamespace::name, c.cfgname) END
          FROM pg_ts_config c WHERE c.oid = text_config_name.config);
COMMENT ON FUNCTION text_config_name(regconfig) IS
'The name of a text search configuration, with its schema where it is not PostgreSQL''s';
