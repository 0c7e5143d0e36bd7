-- measure_num_rel: number of relevant documents.
--
--   num_rel = R
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_num_rel(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({R}, 0)'
$$;
COMMENT ON FUNCTION measure_num_rel(integer) IS 'Formula of num_rel: number of relevant documents';
