-- answer_relate_begin: store a model of agreement; what it tells of pairs comes after. With replace the one of this
-- name goes, with all that it told. Raises IR202 for a name that is taken or empty.
CREATE OR REPLACE FUNCTION answer_relate_begin(
    model text, kind text, params jsonb, fingerprint text, content bytea, replace boolean
) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = stc, public, pg_temp AS $$
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
            MESSAGE = format('there is a model %L since a moment ago', answer_relate_begin.model),
            HINT = 'Take another name, or --replace to put this one in its place.';
    END IF;
    RETURN made_id;
END
$$;
COMMENT ON FUNCTION answer_relate_begin(text, text, jsonb, text, bytea, boolean) IS
'Store a model of agreement under a free name';
