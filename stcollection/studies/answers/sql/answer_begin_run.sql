-- answer_begin_run: create a run of answer verification over one split, to store predictions and clusters in. With
-- replace an existing run with this name is removed first.
-- Raises IR202 a name that is used or empty.
CREATE OR REPLACE FUNCTION answer_begin_run(run text, set_id integer, method text, params jsonb, replace boolean)
    RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    made_id integer;
BEGIN
    IF btrim(coalesce(answer_begin_run.run, '')) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the run is empty',
            HINT = 'Choose a name that describes its method.';
    END IF;
    PERFORM check_name('run', answer_begin_run.run);
    DELETE FROM answer_runs r WHERE answer_begin_run.replace AND r.run = answer_begin_run.run COLLATE "C";
    INSERT INTO answer_runs (run, set, method, params)
    VALUES (answer_begin_run.run, answer_begin_run.set_id, answer_begin_run.method, answer_begin_run.params)
    ON CONFLICT DO NOTHING RETURNING id INTO made_id;
    IF made_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('run %L already exists', answer_begin_run.run),
            HINT = 'Choose another name, or use --replace to replace it.';
    END IF;
    RETURN made_id;
END
$$;
COMMENT ON FUNCTION answer_begin_run(text, integer, text, jsonb, boolean) IS
    'Creates a run of answer verification over one split; its name must be unused unless replace is true';
