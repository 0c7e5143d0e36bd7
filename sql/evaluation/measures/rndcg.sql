-- measure_rndcg: nDCG averaged over the ranks at which the ideal gain decreases.
--
--   Rndcg = mean of nDCG at the ranks where the gain of the ideal ranking decreases, and at the end of the ranking if
--           it is longer
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_rndcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u', '{listed}',
           'CASE WHEN {R} > 0 THEN coalesce((sum(u.d *
               coalesce(s.shares_{G}[1 + width_bucket(u.rank - 1, s.steps_{G})], 0))
        + CASE WHEN {retrieved} > cardinality(s.ideal_{G}) + 1 THEN sum(u.d)
            / s.ideal_{G}[cardinality(s.ideal_{G})] ELSE 0 END)
        / (cardinality(s.steps_{G}) + CASE WHEN {retrieved} > cardinality(s.ideal_{G}) + 1
            THEN 1 ELSE 0 END), 0) ELSE 0 END'
$$;
COMMENT ON FUNCTION measure_rndcg(integer) IS
    'Formula of Rndcg: nDCG averaged over the ranks at which the ideal gain decreases';
