-- coverage_state: which state of the corpus a count is of: when the text index was built, and by which configuration;
-- NULL where rows were written since, or there is no index: such a state cannot be told from another.
CREATE OR REPLACE FUNCTION coverage_state()
RETURNS text
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
RETURN (SELECT text_config_name(i.config) || ' ' || to_char(i.built AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
          FROM text_index i WHERE NOT i.stale);
COMMENT ON FUNCTION coverage_state() IS
'The state of the corpus by its text index; NULL where that is stale or missing';
