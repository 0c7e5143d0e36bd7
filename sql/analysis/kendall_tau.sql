-- kendall_tau: Kendall's tau-b of two lists of numbers, paired by position; in [-1, 1].
--
--   tau-b = (C - D) / sqrt((C + D + T) (C + D + U)),
--
-- over all pairs of positions: C concordant, D discordant, T tied in x only, U tied in y only (Kendall, Biometrika
-- 33(3), 1945). Equal to scipy.stats.kendalltau. Positions with NULL in either list are skipped. The result is NULL if
-- either list has fewer than two numbers or only equal numbers.
CREATE OR REPLACE FUNCTION kendall_tau(x double precision[], y double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH paired AS MATERIALIZED (
        SELECT p.x, p.y, row_number() OVER () AS place FROM unnest(kendall_tau.x, kendall_tau.y) AS p (x, y)
         WHERE p.x IS NOT NULL AND p.y IS NOT NULL)
    SELECT sum(sign(a.x - b.x) * sign(a.y - b.y))
           / nullif(sqrt(count(*) FILTER (WHERE a.x <> b.x)::double precision * count(*) FILTER (WHERE a.y <> b.y)), 0)
      FROM paired a JOIN paired b ON a.place < b.place
$$;
COMMENT ON FUNCTION kendall_tau(double precision[], double precision[]) IS
    'Kendall''s tau-b of two lists paired by position, as scipy.stats.kendalltau; in [-1, 1]; NULL if either list '
    'is constant';
