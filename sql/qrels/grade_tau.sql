-- grade_tau: Kendall's tau-b of two lists of grades paired by position, computed from counts of pairs of grades; in
-- [-1, 1].
--
--   tau-b = (C - D) / sqrt((C + D + T) (C + D + U)),
--
-- over all pairs of positions: C concordant, D discordant, T tied in x only, U tied in y only (Kendall, Biometrika
-- 33(3), 1945). Equal to kendall_tau and to scipy.stats.kendalltau. Its time grows with the square of the number of
-- different pairs of grades, not of positions.
--
-- counts: number of occurrences of each pair; 1 by default. Positions with NULL in either list are skipped. NULL if a
-- list is constant or has fewer than two grades.
CREATE OR REPLACE FUNCTION grade_tau(x integer[], y integer[], counts bigint[] DEFAULT NULL) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN (
        WITH cells AS MATERIALIZED (
            SELECT c.x, c.y, sum(c.n)::double precision AS n
              FROM grade_pairs(grade_tau.x, grade_tau.y, grade_tau.counts) c GROUP BY c.x, c.y)
        SELECT sum(a.n * b.n * sign(a.x - b.x) * sign(a.y - b.y))
               / nullif(sqrt(sum(a.n * b.n) FILTER (WHERE a.x <> b.x) * sum(a.n * b.n) FILTER (WHERE a.y <> b.y)), 0)
          FROM cells a JOIN cells b ON (a.x, a.y) < (b.x, b.y));
END
$$;
COMMENT ON FUNCTION grade_tau(integer[], integer[], bigint[]) IS
    'Kendall''s tau-b of two lists of grades paired by position, with counts of each pair; in [-1, 1]; NULL if a '
    'list is constant';
