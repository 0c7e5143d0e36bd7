-- grade_tau: Kendall's tau-b of two lists of grades paired by place, from how often each pair of grades occurs: its
-- time grows with the number of different pairs of grades squared, not with that of the places. In [-1, 1]; NULL where
-- a list is all equal or has fewer than two.
--
--   tau-b = (C - D) / sqrt((C + D + T) (C + D + U)),
--
-- over the pairs of places: C concordant, D discordant, T tied in x alone, U tied in y alone (Kendall, Biometrika
-- 33(3), 1945). Equal to kendall_tau and to scipy.stats.kendalltau. counts: how often each pair occurs; once by
-- default. NULL in either list leaves the place out.
CREATE OR REPLACE FUNCTION grade_tau(x integer[], y integer[], counts bigint[] DEFAULT NULL) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
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
    'Kendall''s tau-b of two lists of grades paired by place, from how often each pair occurs; in [-1, 1]';
