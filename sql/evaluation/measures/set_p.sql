-- measure_set_p: precision of all documents retrieved.
--
--   set_P = relevant retrieved / retrieved
--   (van Rijsbergen, Information Retrieval, Butterworths 1979)
CREATE OR REPLACE FUNCTION measure_set_p(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({found} / nullif({retrieved}, 0)::double precision, 0)'
$$;
COMMENT ON FUNCTION measure_set_p(integer) IS 'Formula of set_P: precision of all documents retrieved';
