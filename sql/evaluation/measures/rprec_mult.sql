-- measure_rprec_mult: precision at a multiple of R.
--
--   Rprec_mult_x = relevant documents among the first c = trunc(x R + 0.9), divided by c
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_rprec_mult(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL,
           'coalesce(width_bucket(trunc({1} * coalesce({R}, 0) + 0.9)::integer, {ranks})
        / nullif(trunc({1} * coalesce({R}, 0) + 0.9), 0), 0)'
$$;
COMMENT ON FUNCTION measure_rprec_mult(integer) IS 'Formula of Rprec_mult: precision at a multiple of R';
