-- begin_run: create the row of a run that a system makes, without rankings, and return its key. Reserves the name for
-- this transaction (claim_run). Parameters as in make_run.
-- Raises IR107 no such system, IR201 depth below 1, IR202 a name that is taken (unless replace), IR405 no query with a
-- text.
CREATE OR REPLACE FUNCTION begin_run(
    run text, system text, depth integer, team text, replace boolean, filter jsonb, model text
)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    run_id integer;
BEGIN
    PERFORM claim_run(begin_run.run);
    IF coalesce(begin_run.run, '') !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the run is empty', HINT = 'Enter a name.';
    ELSIF begin_run.depth IS NULL OR begin_run.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(begin_run.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    ELSIF NOT EXISTS (SELECT FROM st1_queries q WHERE q.text IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = 'there is no query with a text', HINT = 'Load queries with ''stc topics load''.';
    ELSIF begin_run.replace THEN
        PERFORM drop_runs(ARRAY[begin_run.run]);
    ELSIF EXISTS (SELECT FROM st1_runs r WHERE r.run = begin_run.run COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s already exists', begin_run.run),
            HINT = 'Choose another --name, or use --replace to replace that run.';
    END IF;
    PERFORM check_name('run', begin_run.run), check_name('team', begin_run.team);
    INSERT INTO st1_runs AS n (run, team, tag, family, params)
    VALUES (begin_run.run, begin_run.team, begin_run.run, split_part(begin_run.system, '-', 1),
            jsonb_strip_nulls(jsonb_build_object('system', begin_run.system, 'depth', begin_run.depth,
                                                 'filter', begin_run.filter, 'model', begin_run.model))
            || jsonb_build_object('indexes', retrieval_indexes(begin_run.system, begin_run.model)))
    RETURNING n.id INTO run_id;
    RETURN run_id;
END
$$;
COMMENT ON FUNCTION begin_run(text, text, integer, text, boolean, jsonb, text) IS
'Create the row of a run that a system makes, without rankings, and return its key';
