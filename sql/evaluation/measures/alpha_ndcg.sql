-- measure_alpha_ndcg: alpha-DCG divided by that of the ideal ranking.
--
--   alpha-nDCG@k = alpha-DCG@k / alpha-DCG@k of the ideal ranking (subtopic_ideals); 0 without a relevant document
--   (Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_alpha_ndcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', '1 - {1}',
           'coalesce(sum(stc.fading(1 - {1}, u.k) * ln(2) / ln(u.rank + 1::double precision))
            FILTER (WHERE u.rank <= {k})
        / (SELECT sum(i.gain * ln(2) / ln(i.rank + 1::double precision))
             FROM unnest(s.ideal_gains_{G}[:{k}]) WITH ORDINALITY AS i (gain, rank)), 0)'
$$;
COMMENT ON FUNCTION measure_alpha_ndcg(integer) IS
    'Formula of alpha_ndcg: alpha-DCG divided by that of the ideal ranking';
