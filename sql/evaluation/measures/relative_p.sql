-- measure_relative_p: precision at k relative to the best possible.
--
--   relative_P_k = relevant documents among the first k, divided by min(k, R)
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_relative_p(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({hits} / least({k}, {R}), 0)'
$$;
COMMENT ON FUNCTION measure_relative_p(integer) IS
    'Formula of relative_P: precision at k relative to the best possible';
