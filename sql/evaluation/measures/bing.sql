-- measure_bing: binG, a variant of AP with a logarithmic discount.
--
--   binG = sum over the relevant documents retrieved of 1 / log2(2 + not relevant documents above), divided by R
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_bing(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce(sum(ln(2) / ln(u.rank - u.k + 2)) / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_bing(integer) IS 'Formula of binG: a variant of AP with a logarithmic discount';
