-- pipeline_stages: the stages of a system that combines several, one row each, as add_system takes them:
--
--   bm25 1000 >> dense:minilm 100 >> cross-encoder:cross-encoder/ms-marco-MiniLM-L6-v2 50
--
-- The first stage is a system, which searches n documents (default 1,000). Each later one scores the first n documents
-- of the stage before (default all of its n), and orders them by the new score; the others follow in their order, as in
-- rerank_run. dense (or dense-document) scores by the vectors of abstracts, or of titles without one; dense-title,
-- dense-abstract, dense-content and dense-passage by these. A stage of vectors can name its model (dense:mpnet). A
-- cross-encoder names it always: a name in the local cache of the hub, or a folder.
--
-- system: of the first stage. field: of the vectors of a later stage. model: as named.
-- Raises IR107 an unknown stage, IR105 no such embedding model, IR201 n below 1 or above that of the stage before,
-- IR202 fewer than two stages, or a first stage that has stages itself.
CREATE OR REPLACE FUNCTION pipeline_stages(stages text)
RETURNS TABLE (place integer, stage text, n integer, system text, field text, model text, cross_encoder text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    parts CONSTANT text[] := string_to_array(pipeline_stages.stages, '>>');
    kind text;
    named text;
    before integer;
    first text;  -- function of the system of the first stage
    fields CONSTANT text[] := '{dense,dense-document,dense-title,dense-abstract,dense-content,dense-passage}';
BEGIN
    IF coalesce(cardinality(parts), 0) < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L has no second stage', left(pipeline_stages.stages, 200)),
            HINT = 'Separate stages with >>, as in ''bm25 1000 >> dense 100''.';
    END IF;
    FOR i IN 1..cardinality(parts) LOOP
        place := i;
        stage := trim(substring(parts[i] FROM '^(.*?)(?:\s+-?\d+)?\s*$'));
        kind := trim(split_part(stage, ':', 1));
        named := nullif(trim(substring(stage FROM '^[^:]*:(.*)$')), '');
        BEGIN
            n := coalesce(substring(parts[i] FROM '\s(-?\d+)\s*$')::integer, before, 1000);
        EXCEPTION WHEN numeric_value_out_of_range THEN
            n := 0;
        END;
        IF n < 1 OR n > before THEN
            RAISE EXCEPTION USING ERRCODE = 'IR201',
                MESSAGE = format('stage %s, %s, is to score %s', i, stage, substring(parts[i] FROM '(\S*)\s*$'))
                          || CASE WHEN n > before THEN format(', but the stage before has %s', before) ELSE '' END,
                HINT = CASE WHEN n > before THEN format('Use %s or less.', before) ELSE 'Use a number from 1.' END;
        ELSIF i > 1 AND kind = 'cross-encoder' AND named IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR105', MESSAGE = format('stage %s, cross-encoder, names no model', i),
                HINT = 'Name one: cross-encoder:cross-encoder/ms-marco-MiniLM-L6-v2, or cross-encoder:FOLDER.';
        ELSIF i > 1 AND (kind <> ALL (fields || 'cross-encoder'::text) OR stage LIKE '%:' AND named IS NULL) THEN
            RAISE EXCEPTION USING ERRCODE = 'IR107', MESSAGE = format('stage %s, %L, is unknown', i, left(stage, 80)),
                HINT = format('A stage after the first is cross-encoder:MODEL or one of %s, perhaps with a model: '
                              'dense:minilm.', array_to_string(fields, ', '));
        ELSIF i = 1 THEN
            first := (SELECT o.function FROM own_systems o
                       WHERE o.system = kind COLLATE "C" AND (o.maker IS NULL OR o.maker = current_user)
                       ORDER BY o.maker NULLS FIRST LIMIT 1);
            IF first LIKE '%>>%' THEN
                RAISE EXCEPTION USING ERRCODE = 'IR202',
                    MESSAGE = format('the first stage, %s, has stages itself', kind),
                    HINT = format('Write its stages instead: %s.', first);
            END IF;
            PERFORM check_system_name(kind), own_system(kind);
        END IF;
        system := CASE i WHEN 1 THEN kind END;
        field := CASE WHEN i > 1 AND kind = 'dense' THEN 'document'
                      WHEN i > 1 AND kind LIKE 'dense-%' THEN substring(kind FROM 7) END;
        cross_encoder := CASE WHEN i > 1 AND kind = 'cross-encoder' THEN named END;
        model := CASE WHEN cross_encoder IS NULL THEN named END;
        IF model IS NOT NULL THEN
            PERFORM vector_model(model, sparse => CASE WHEN i > 1 THEN false END);
        END IF;
        before := n;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pipeline_stages(text) IS
'Stages of a system that several others make up: what each searches or scores, how many documents, by which model';
