-- measure_num_ret: number of documents retrieved.
--
--   num_ret = documents the run ranks for the query
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_num_ret(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, '{retrieved}'
$$;
COMMENT ON FUNCTION measure_num_ret(integer) IS 'Formula of num_ret: number of documents retrieved';
