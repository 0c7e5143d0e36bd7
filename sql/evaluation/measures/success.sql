-- measure_success: 1 if a relevant document is among the first k, else 0.
--
--   success_k = 1 if any of the first k documents is relevant, else 0
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_success(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, '({hits} > 0)::integer'
$$;
COMMENT ON FUNCTION measure_success(integer) IS
    'Formula of success: 1 if a relevant document is among the first k, else 0';
