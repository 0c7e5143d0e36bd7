-- combine_source: the key of the stored run that is to be combined, kept from being dropped or changed until the
-- transaction ends.
-- Raises IR101 no such run, IR405 one without a document.
CREATE OR REPLACE FUNCTION combine_source(run text)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    run_id CONSTANT integer := (run_keys(ARRAY[combine_source.run]))[1];
BEGIN
    IF has_any_column_privilege('st1_runs', 'UPDATE') THEN  -- what a lock of a row needs
        PERFORM FROM st1_runs r WHERE r.id = run_id FOR SHARE;
    END IF;
    IF NOT EXISTS (SELECT FROM st1_rankings k WHERE k.run = run_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('the run %s has no document', combine_source.run),
            HINT = '''stc runs list'' shows how many documents each run ranks.';
    END IF;
    RETURN run_id;
END
$$;
COMMENT ON FUNCTION combine_source(text) IS 'The key of the stored run that is to be combined; locks it';
