-- measure_num_rel_ret: number of relevant documents retrieved.
--
--   num_rel_ret = relevant documents in the ranking
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_num_rel_ret(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, '{found}'
$$;
COMMENT ON FUNCTION measure_num_rel_ret(integer) IS 'Formula of num_rel_ret: number of relevant documents retrieved';
