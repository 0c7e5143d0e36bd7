-- measure_err: expected reciprocal rank.
--
--   ERR@k = sum over the first k of 1/r · s · product of 1 - s above, s = (2^grade - 1) / 2^max, at most the grade max
--   (Chapelle et al., Expected Reciprocal Rank for Graded Relevance, CIKM 2009)
CREATE OR REPLACE FUNCTION measure_err(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT y.*, exp(greatest(coalesce(sum(ln(1 - y.g)) OVER (ORDER BY y.rank
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0), -600)) AS unsatisfied FROM {gained} y) u',
           'CASE WHEN r.rel > 0 THEN (2::double precision ^ least(r.rel, {1}) - 1) / 2::double precision ^ {1} ELSE 0 '
           'END',
           'coalesce(sum(u.g / u.rank * u.unsatisfied) FILTER (WHERE u.rank <= {k}), 0)'
$$;
COMMENT ON FUNCTION measure_err(integer) IS 'Formula of err: expected reciprocal rank';
