-- measure_g: normalised gain, discounted by the cost in excess of the ideal ranking.
--
--   G = sum of gain / log2(2 + ideal cost up to the rank - gain up to it), divided by the sum of all gains;
--       a document costs its gain in the ideal ranking, and at least 1
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_g(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT y.*, sum(y.d) OVER upto AS d_to, sum(y.g) OVER upto AS g_to FROM {gained} y
        WINDOW upto AS (ORDER BY y.rank ROWS UNBOUNDED PRECEDING)) u',
           '{listed}',
           'coalesce(sum(u.g * ln(2) / ln(2 + s.costs_{G}[least(u.rank, cardinality(s.costs_{G}))]
        + greatest(u.rank - cardinality(s.costs_{G}), 0) - u.g_to)) / s.worth_{G}, 0)'
$$;
COMMENT ON FUNCTION measure_g(integer) IS
    'Formula of G: normalised gain, discounted by the cost in excess of the ideal ranking';
