-- combine_source: the key of a stored run to combine, locked against deletion and change until the end of the
-- transaction.
-- Raises IR101 no such run, IR405 a run without documents.
CREATE OR REPLACE FUNCTION combine_source(run text)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    run_id CONSTANT integer := (run_keys(ARRAY[combine_source.run]))[1];
BEGIN
    IF has_any_column_privilege('st1_runs', 'UPDATE') THEN  -- required to lock a row
        PERFORM FROM st1_runs r WHERE r.id = run_id FOR SHARE;
    END IF;
    IF NOT EXISTS (SELECT FROM st1_rankings k WHERE k.run = run_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('the run %s has no document', combine_source.run),
            HINT = '''stc show runs'' shows the number of documents of each run.';
    END IF;
    RETURN run_id;
END
$$;
COMMENT ON FUNCTION combine_source(text) IS 'Key of a stored run to combine; locks it';
