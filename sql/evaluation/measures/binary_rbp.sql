-- measure_binary_rbp: rank-biased precision as in ir_measures.
--
--   RBP = (1 - p) sum over the relevant documents of p^(r - 1)
--   (Moffat & Zobel, ACM TOIS 27(1), 2008)
CREATE OR REPLACE FUNCTION measure_binary_rbp(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce((1 - {1}) * sum({decay}) FILTER (WHERE {k} = 0 OR u.rank <= {k}), 0)'
$$;
COMMENT ON FUNCTION measure_binary_rbp(integer) IS 'Formula of binary_rbp: rank-biased precision as in ir_measures';
