-- measure_num_q: number of queries: 1 per query, summed over queries.
--
--   num_q = 1
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_num_q(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, '1'
$$;
COMMENT ON FUNCTION measure_num_q(integer) IS 'Formula of num_q: 1 per query, so that the sum is the number of queries';
