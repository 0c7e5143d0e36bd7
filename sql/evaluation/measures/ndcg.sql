-- measure_ndcg: normalised discounted cumulative gain.
--
--   nDCG = DCG / ideal DCG; the gain is the grade, unless gains are given (ndcg.1=3,2=9)
--   (Järvelin & Kekäläinen, ACM TOIS 20(4), 2002)
CREATE OR REPLACE FUNCTION measure_ndcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u', '{listed}', 'coalesce(sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})], 0)'
$$;
COMMENT ON FUNCTION measure_ndcg(integer) IS 'Formula of ndcg: normalised discounted cumulative gain';
