-- sees_all_rows: true if the current role may use the schema stc_all, with the tables on which participants and readers
-- have no right: organisers and owners.
CREATE OR REPLACE FUNCTION sees_all_rows() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT has_schema_privilege('stc_all', 'USAGE')
$$;
COMMENT ON FUNCTION sees_all_rows() IS 'True if the current role may use the schema stc_all: organisers and owners';
