-- measure_set_relative_p: precision of all documents retrieved, relative to the best possible.
--
--   set_relative_P = relevant retrieved / min(retrieved, R)
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_set_relative_p(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({found} / nullif(least({retrieved}, {R}), 0), 0)'
$$;
COMMENT ON FUNCTION measure_set_relative_p(integer) IS
    'Formula of set_relative_P: precision of all documents retrieved, relative to the best possible';
