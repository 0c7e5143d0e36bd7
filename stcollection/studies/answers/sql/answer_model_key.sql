-- answer_model_key: key of an agreement model by its name. Raises IR105 no such model, and suggests the nearest name.
CREATE OR REPLACE FUNCTION answer_model_key(model text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer := (SELECT m.id FROM answer_models m WHERE m.model = answer_model_key.model COLLATE "C");
BEGIN
    IF found_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR105',
            MESSAGE = format('there is no agreement model %L', answer_model_key.model),
            HINT = concat('Did you mean '
                || quote_literal(nearest_name(answer_model_key.model,
                                              ARRAY(SELECT m.model FROM answer_models m))) || '? ',
                '''stc show answer-models'' lists all models; ''stc answers train'' makes one.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION answer_model_key(text) IS
    'The key of an agreement model by its name; raises IR105 if there is no such model';
