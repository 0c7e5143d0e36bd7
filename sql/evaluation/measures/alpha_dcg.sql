-- measure_alpha_dcg: discounted cumulative gain of new subtopics.
--
--   alpha-DCG@k = sum over ranks r <= k and subtopics of the document there of (1 - alpha)^(n - 1) / log2(r + 1),
--                 the document the n-th for the subtopic, divided by the sum for k documents with all S subtopics
--   (Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008; the divisor: ndeval)
--
-- At cutoff 1 it is not divided, and can exceed 1, as in ndeval.
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_alpha_dcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', NULL,
           'coalesce(sum(stc.fading(1 - {1}, u.k) * ln(2) / ln(u.rank + 1::double precision))
            FILTER (WHERE u.rank <= {k})
        / CASE {k} WHEN 1 THEN 1 ELSE {S} * (SELECT sum(stc.fading(1 - {1}, i) * ln(2) / ln(i + 1::double precision))
            FROM generate_series(1, {k}) AS i) END, 0)'
$$;
COMMENT ON FUNCTION measure_alpha_dcg(integer) IS 'Formula of alpha_dcg: discounted cumulative gain of new subtopics';
