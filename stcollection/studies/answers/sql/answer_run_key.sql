-- answer_run_key: key of a run of answer verification by its name.
-- Raises IR101 no such run, and suggests the nearest name.
CREATE OR REPLACE FUNCTION answer_run_key(run text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer := (SELECT r.id FROM answer_runs r WHERE r.run = answer_run_key.run COLLATE "C");
BEGIN
    IF found_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101',
            MESSAGE = format('there is no run %L of answer verification', answer_run_key.run),
            HINT = concat('Did you mean '
                || quote_literal(nearest_name(answer_run_key.run, ARRAY(SELECT r.run FROM answer_runs r))) || '? ',
                '''stc show answer-runs'' lists all runs.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION answer_run_key(text) IS
    'The key of a run of answer verification by its name; raises IR101 if there is no such run';
