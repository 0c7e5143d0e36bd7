-- synth_keep_scores: store answers of the scorer of a study unmodified, with the score read from each; returns the
-- number stored. A document with a score keeps it.
--
-- answers: [{doc, answer, score, error, params}]; error is set if there is no answer.
-- Raises IR112 the study was removed, IR202 it now has another scorer.
CREATE OR REPLACE FUNCTION synth_keep_scores(study integer, model text, prompt integer, answers jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    scorer jsonb;
    kept bigint;
BEGIN
    SELECT s.params -> 'score' INTO scorer FROM synth_studies s WHERE s.id = synth_keep_scores.study FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR112', MESSAGE = 'the study was dropped while it was scored',
            HINT = 'Start again with ''stc synth sample''.';
    ELSIF (scorer ->> 'model', (scorer ->> 'prompt')::integer) IS DISTINCT FROM (synth_keep_scores.model,
                                                                                 synth_keep_scores.prompt) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the study is now scored by %s', scorer ->> 'model'),
            HINT = 'Continue with that model and its prompt, or use another study.';
    END IF;
    UPDATE synth_passages p
       SET model = synth_keep_scores.model, prompt = synth_keep_scores.prompt, answer = g.answer, score = g.score,
           error = g.error, params = coalesce(g.params, '{}'), asked = now()
      FROM jsonb_to_recordset(synth_keep_scores.answers)
               AS g (doc bigint, answer text, score double precision, error text, params jsonb)
     WHERE p.study = synth_keep_scores.study AND p.doc = g.doc AND p.score IS NULL
       AND (g.answer IS NOT NULL OR p.answer IS NULL);  -- a failure does not replace an answer
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;
COMMENT ON FUNCTION synth_keep_scores(integer, text, integer, jsonb) IS
    'Stores answers of the scorer of a study unmodified, with their scores; returns the number stored';
