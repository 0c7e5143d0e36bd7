-- toy_count: the number of notes.
CREATE OR REPLACE FUNCTION toy_count() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT count(*) FROM toy_notes
$$;
COMMENT ON FUNCTION toy_count() IS 'Number of notes';
