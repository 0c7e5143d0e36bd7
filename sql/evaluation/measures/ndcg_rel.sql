-- measure_ndcg_rel: nDCG averaged over the ranks of relevant documents.
--
--   ndcg_rel = mean over the documents with a gain of nDCG at their rank; for those not retrieved, nDCG at the end
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_ndcg_rel(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT y.*, sum(y.d) OVER upto AS d_to, sum(y.g) OVER upto AS g_to FROM {gained} y
        WINDOW upto AS (ORDER BY y.rank ROWS UNBOUNDED PRECEDING)) u',
           '{listed}',
           'greatest(coalesce((sum(u.d_to / s.ideal_{G}[least(u.rank, cardinality(s.ideal_{G}))]) FILTER (WHERE u.g > 0)
        + (cardinality(s.ideal_{G}) - count(*) FILTER (WHERE u.g > 0)) * sum(u.d)
            / s.ideal_{G}[cardinality(s.ideal_{G})])
        / cardinality(s.ideal_{G}), 0), 0)'
$$;
COMMENT ON FUNCTION measure_ndcg_rel(integer) IS
    'Formula of ndcg_rel: nDCG averaged over the ranks of relevant documents';
