-- measure_nrbp: novelty- and rank-biased precision.
--
--   NRBP = (1 - (1 - alpha) beta) / S · sum over ranks r and subtopics of the document there of
--          (1 - alpha)^(n - 1) · beta^(r - 1), the document the n-th for the subtopic
--   (Clarke, Kolla & Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_nrbp(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', NULL,
           'coalesce((1 - (1 - {2}) * {1}) / {S} * sum(stc.fading(1 - {2}, u.k) * stc.fading({1}, u.rank)), 0)'
$$;
COMMENT ON FUNCTION measure_nrbp(integer) IS 'Formula of nrbp: novelty- and rank-biased precision';
