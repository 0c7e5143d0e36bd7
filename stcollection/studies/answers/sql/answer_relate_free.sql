-- answer_relate_free: check, before training an agreement model, that its name is unused.
--
-- Raises IR202 a name that is empty, or used unless replace is true.
CREATE OR REPLACE FUNCTION answer_relate_free(model text, replace boolean) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF btrim(coalesce(answer_relate_free.model, '')) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the model is empty',
            HINT = 'Choose a name that describes its training data.';
    END IF;
    PERFORM check_name('model', answer_relate_free.model);
    IF NOT answer_relate_free.replace
          AND EXISTS (SELECT FROM answer_models m WHERE m.model = answer_relate_free.model COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('model %L already exists', answer_relate_free.model),
            HINT = 'Choose another name, or use --replace to replace it.';
    END IF;
END
$$;
COMMENT ON FUNCTION answer_relate_free(text, boolean) IS
    'Checks that the name of an agreement model is unused; raises IR202 if not';
