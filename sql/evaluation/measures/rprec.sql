-- measure_rprec: precision after R documents.
--
--   Rprec = relevant documents among the first R, divided by R
--   (Buckley & Voorhees, Retrieval System Evaluation, MIT Press 2005)
CREATE OR REPLACE FUNCTION measure_rprec(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce(width_bucket({R}::integer, {ranks}) / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_rprec(integer) IS 'Formula of Rprec: precision after R documents';
