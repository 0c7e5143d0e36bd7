-- measure_ndcg_cut: nDCG of the first k documents.
--
--   nDCG@k = DCG of the first k / ideal DCG of k; the gain is the grade
--   (Järvelin & Kekäläinen, ACM TOIS 20(4), 2002)
CREATE OR REPLACE FUNCTION measure_ndcg_cut(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u', 'greatest(r.rel, 0)::double precision',
           'coalesce(sum(u.d) FILTER (WHERE u.rank <= {k}) / s.ideal_{G}[least({k}, cardinality(s.ideal_{G}))], 0)'
$$;
COMMENT ON FUNCTION measure_ndcg_cut(integer) IS 'Formula of ndcg_cut: nDCG of the first k documents';
