-- answer_begin_run: open a run of answer verification over one split, for its predictions and clusters to be stored.
-- With replace a run of this name goes, with all that it holds. Raises IR202 for a name that is taken or empty.
CREATE OR REPLACE FUNCTION answer_begin_run(run text, set_id integer, method text, params jsonb, replace boolean)
    RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = stc, public, pg_temp AS $$
DECLARE
    made_id integer;
BEGIN
    IF btrim(coalesce(answer_begin_run.run, '')) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a run without a name',
            HINT = 'Give it one that tells its method.';
    END IF;
    PERFORM check_name('run', answer_begin_run.run);
    DELETE FROM answer_runs r WHERE answer_begin_run.replace AND r.run = answer_begin_run.run COLLATE "C";
    INSERT INTO answer_runs (run, set, method, params)
    VALUES (answer_begin_run.run, answer_begin_run.set_id, answer_begin_run.method, answer_begin_run.params)
    ON CONFLICT DO NOTHING RETURNING id INTO made_id;
    IF made_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is a run %L already', answer_begin_run.run),
            HINT = 'Take another name, or --replace to put this one in its place.';
    END IF;
    RETURN made_id;
END
$$;
COMMENT ON FUNCTION answer_begin_run(text, integer, text, jsonb, boolean) IS
    'Open a run of answer verification over one split; its name must be free';
