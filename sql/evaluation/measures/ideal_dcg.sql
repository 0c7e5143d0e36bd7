-- measure_ideal_dcg: DCG of the ideal ranking.
--
--   ideal DCG = DCG of the judged documents, highest gain first
--   (Järvelin & Kekäläinen, ACM TOIS 20(4), 2002)
CREATE OR REPLACE FUNCTION measure_ideal_dcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, '{listed}', 'coalesce(s.ideal_{G}[cardinality(s.ideal_{G})], 0)'
$$;
COMMENT ON FUNCTION measure_ideal_dcg(integer) IS 'Formula of ideal_dcg: DCG of the ideal ranking';
