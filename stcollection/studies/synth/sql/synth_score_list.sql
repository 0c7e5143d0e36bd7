-- synth_score_list: sampled documents of a study with the scorer's answers, by place. state is scored, malformed,
-- failed (no answer) or unasked (not scored yet).
-- Raises IR112 no such study.
CREATE OR REPLACE FUNCTION synth_score_list(study text)
RETURNS TABLE (place integer, docno text, state text, score double precision, answer text, error text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.place, d.docno,
           CASE WHEN p.score IS NOT NULL THEN 'scored' WHEN p.answer IS NOT NULL THEN 'malformed'
                WHEN p.error IS NOT NULL THEN 'failed' ELSE 'unasked' END,
           p.score, p.answer, p.error
      FROM synth_passages p JOIN dblp d ON d.id = p.doc
     WHERE p.study = synth_study_key(synth_score_list.study)
     ORDER BY p.place
$$;
COMMENT ON FUNCTION synth_score_list(text) IS
    'Sampled documents of a study with the scorer''s answers, by place; state is scored, malformed, failed or unasked';
