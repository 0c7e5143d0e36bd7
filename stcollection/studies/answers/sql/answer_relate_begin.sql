-- answer_relate_begin: store an agreement model; its relations are added later. With replace an existing model with
-- this name is removed first, with its relations.
-- Raises IR202 a name that is used or empty.
CREATE OR REPLACE FUNCTION answer_relate_begin(
    model text, kind text, params jsonb, fingerprint text, content bytea, replace boolean
) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    made_id integer;
BEGIN
    DELETE FROM answer_models m WHERE answer_relate_begin.replace AND m.model = answer_relate_begin.model COLLATE "C";
    PERFORM answer_relate_free(answer_relate_begin.model, false);
    INSERT INTO answer_models (model, kind, params, fingerprint, content)
    VALUES (answer_relate_begin.model, answer_relate_begin.kind, answer_relate_begin.params,
            answer_relate_begin.fingerprint,
            answer_relate_begin.content)
    ON CONFLICT DO NOTHING RETURNING id INTO made_id;
    IF made_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('another session has just created a model %L', answer_relate_begin.model),
            HINT = 'Choose another name, or use --replace to replace it.';
    END IF;
    RETURN made_id;
END
$$;
COMMENT ON FUNCTION answer_relate_begin(text, text, jsonb, text, bytea, boolean) IS
    'Stores an agreement model; its name must be unused unless replace is true';
