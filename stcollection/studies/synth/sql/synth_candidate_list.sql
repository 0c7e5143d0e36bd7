-- synth_candidate_list: generated queries of a study, by place of the document, origin and number.
--
-- Raises IR112 no such study.
CREATE OR REPLACE FUNCTION synth_candidate_list(study text)
RETURNS TABLE (
    id bigint, docno text, score double precision, origin text, model text, number integer, query text, length integer,
    found integer,
    dropped text, chosen boolean, answer text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT c.id, d.docno, p.score, c.origin, c.model, c.number, c.text, c.length, c.found, c.dropped, c.chosen, c.answer
      FROM synth_candidates c JOIN synth_passages p ON p.study = c.study AND p.doc = c.doc JOIN dblp d ON d.id = c.doc
     WHERE c.study = synth_study_key(synth_candidate_list.study)
     ORDER BY p.place, c.origin COLLATE "C", c.number
$$;
COMMENT ON FUNCTION synth_candidate_list(text) IS
    'Generated queries of a study, by place of the document, origin and number; dropped is NULL if usable';
