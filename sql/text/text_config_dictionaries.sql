-- text_config_dictionaries: the dictionaries of a text search configuration with their templates and options, sorted.
--
-- A text index depends on them. A change by ALTER TEXT SEARCH DICTIONARY is visible here, a change to a file of stop
-- words is not.
CREATE OR REPLACE FUNCTION text_config_dictionaries(config regconfig) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
BEGIN ATOMIC
    SELECT array_agg(DISTINCT concat_ws(' ', d.dictnamespace::regnamespace::text || '.' || d.dictname, t.tmplname,
                                        d.dictinitoption))
      FROM pg_ts_config_map m
      JOIN pg_ts_dict d ON d.oid = m.mapdict
      JOIN pg_ts_template t ON t.oid = d.dicttemplate
     WHERE m.mapcfg = text_config_dictionaries.config;
END;
COMMENT ON FUNCTION text_config_dictionaries(regconfig) IS
'Dictionaries of a text search configuration with template and options, sorted';
