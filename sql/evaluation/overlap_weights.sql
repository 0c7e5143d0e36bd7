-- overlap_weights: sums of the weights of rank-biased overlap: element m is the sum of p^(i - 1) / i over i <= m.
--
--   p      persistence, 0 to 1
--   depth  number of elements
--
-- Powers below 1e-260 count as 0, because PostgreSQL raises an error on underflow.
CREATE OR REPLACE FUNCTION overlap_weights(p double precision, depth integer) RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_agg(w.total ORDER BY w.i)
      FROM (SELECT i, sum(CASE WHEN (i - 1) * ln(nullif(overlap_weights.p, 0)) > -600
                               THEN overlap_weights.p ^ (i - 1) ELSE (i = 1)::integer END / i)
                     OVER (ORDER BY i) AS total
              FROM generate_series(1, overlap_weights.depth) AS i) w
$$;
COMMENT ON FUNCTION overlap_weights(double precision, integer) IS
    'Sums of the weights of rank-biased overlap up to each depth';
