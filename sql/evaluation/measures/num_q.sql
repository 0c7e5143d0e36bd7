-- measure_num_q: the number of queries: 1 for each.
--
--   num_q = 1
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_num_q(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT NULL, NULL, '1'
$$;
COMMENT ON FUNCTION measure_num_q(integer) IS 'The formula of num_q: the number of queries: 1 for each';
