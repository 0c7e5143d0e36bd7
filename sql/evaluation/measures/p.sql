-- measure_p: precision at k.
--
--   P_k = relevant documents among the first k, divided by k
--   (van Rijsbergen, Information Retrieval, Butterworths 1979)
CREATE OR REPLACE FUNCTION measure_p(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, '{hits} / {k}::double precision'
$$;
COMMENT ON FUNCTION measure_p(integer) IS 'Formula of P: precision at k';
