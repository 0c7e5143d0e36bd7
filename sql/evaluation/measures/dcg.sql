-- measure_dcg: discounted cumulative gain.
--
--   DCG = sum of gain / log2(r + 1)
--   (Järvelin & Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20(4), 2002)
CREATE OR REPLACE FUNCTION measure_dcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u', '{listed}', 'coalesce(sum(u.d), 0)'
$$;
COMMENT ON FUNCTION measure_dcg(integer) IS 'Formula of dcg: discounted cumulative gain';
