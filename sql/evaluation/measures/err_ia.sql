-- measure_err_ia: intent-aware expected reciprocal rank.
--
--   ERR-IA@k = sum over ranks r <= k and subtopics of the document there of 0.5^(n - 1) / r,
--              the document the n-th for the subtopic, divided by the sum for k documents with all S subtopics
--   (Chapelle et al., Intent-based Diversification of Web Search Results, Information Retrieval 14(6), 2011; ndeval)
--
-- At cutoff 1 it is not divided, and can exceed 1, as in ndeval.
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_err_ia(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', NULL,
           'coalesce(sum(stc.fading(0.5, u.k) / u.rank) FILTER (WHERE u.rank <= {k})
        / CASE {k} WHEN 1 THEN 1 ELSE {S} * (SELECT sum(stc.fading(0.5, i) / i)
            FROM generate_series(1, {k}) AS i) END, 0)'
$$;
COMMENT ON FUNCTION measure_err_ia(integer) IS 'Formula of err_ia: intent-aware expected reciprocal rank';
