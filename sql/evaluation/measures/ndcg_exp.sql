-- measure_ndcg_exp: nDCG of the first k documents with exponential gain.
--
--   nDCG@k with the gain 2^grade - 1
--   (Burges et al., Learning to Rank Using Gradient Descent, ICML 2005)
CREATE OR REPLACE FUNCTION measure_ndcg_exp(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT documents, 'CASE WHEN r.rel > 0 THEN 2::double precision ^ r.rel - 1 ELSE 0 END', value
      FROM stc.measure_ndcg_cut(numbers)
$$;
COMMENT ON FUNCTION measure_ndcg_exp(integer) IS
    'Formula of ndcg_exp: nDCG of the first k documents with exponential gain';
