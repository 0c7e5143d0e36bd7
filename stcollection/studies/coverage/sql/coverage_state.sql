-- coverage_state: state of the corpus to which a count refers: configuration and build time of the text index. NULL if
-- rows were written since then or there is no index, because such states cannot be compared.
CREATE OR REPLACE FUNCTION coverage_state()
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN (SELECT text_config_name(i.config) || ' ' || to_char(i.built AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
          FROM text_index i WHERE NOT i.stale);
COMMENT ON FUNCTION coverage_state() IS
    'State of the corpus by its text index: configuration and build time; NULL if the index is stale or missing';
