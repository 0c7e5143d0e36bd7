-- answer_relate_free: make sure, before a model of agreement is trained, that its name can be had.
-- Raises IR202 for a name that is empty, or taken where it is not to be replaced.
CREATE OR REPLACE FUNCTION answer_relate_free(model text, replace boolean) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF btrim(coalesce(answer_relate_free.model, '')) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a model without a name',
            HINT = 'Give it one that tells what it learns from.';
    END IF;
    PERFORM check_name('model', answer_relate_free.model);
    IF NOT answer_relate_free.replace
          AND EXISTS (SELECT FROM answer_models m WHERE m.model = answer_relate_free.model COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('there is a model %L already', answer_relate_free.model),
            HINT = 'Take another name, or --replace to put this one in its place.';
    END IF;
END
$$;
COMMENT ON FUNCTION answer_relate_free(text, boolean) IS 'Whether the name of a model of agreement can be had';
