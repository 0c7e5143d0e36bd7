-- text_config_name: the name of a text search configuration, as an index option needs it.
--
-- PostgreSQL 17 and later build indexes with only pg_catalog in the search_path, so that a configuration in another
-- schema needs its schema name.
CREATE OR REPLACE FUNCTION text_config_name(config regconfig)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN (SELECT CASE WHEN c.cfgnamespace = 'pg_catalog'::regnamespace THEN quote_ident(c.cfgname)
                    ELSE format('%I.%I', c.cfgnamespace::regnamespace::name, c.cfgname) END
          FROM pg_ts_config c WHERE c.oid = text_config_name.config);
COMMENT ON FUNCTION text_config_name(regconfig) IS
'Name of a text search configuration, with its schema unless that is pg_catalog';
