-- grade_rho: Spearman's rho of two lists of grades paired by position: Pearson's correlation of their ranks, with mean
-- ranks for ties (Spearman, American Journal of Psychology 15(1), 1904); in [-1, 1].
--
-- NULL if a list is constant or has fewer than two grades. Equal to scipy.stats.spearmanr. counts: number of
-- occurrences of each pair; 1 by default. Positions with NULL in either list are skipped.
CREATE OR REPLACE FUNCTION grade_rho(x integer[], y integer[], counts bigint[] DEFAULT NULL) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN (
        WITH cells AS MATERIALIZED (
            SELECT c.x, c.y, sum(c.n)::double precision AS n
              FROM grade_pairs(grade_rho.x, grade_rho.y, grade_rho.counts) c GROUP BY c.x, c.y),
        -- mean ranks, centred so that they sum to 0
        total AS (SELECT sum(c.n) AS n FROM cells c),
        rows AS (SELECT c.x, sum(sum(c.n)) OVER (ORDER BY c.x) - (sum(c.n) + (SELECT n FROM total)) / 2 AS r
                   FROM cells c GROUP BY c.x),
        columns AS (SELECT c.y, sum(sum(c.n)) OVER (ORDER BY c.y) - (sum(c.n) + (SELECT n FROM total)) / 2 AS r
                      FROM cells c GROUP BY c.y)
        SELECT sum(c.n * a.r * b.r) / nullif(sqrt(sum(c.n * a.r ^ 2) * sum(c.n * b.r ^ 2)), 0)
          FROM cells c JOIN rows a USING (x) JOIN columns b USING (y));
END
$$;
COMMENT ON FUNCTION grade_rho(integer[], integer[], bigint[]) IS
    'Spearman''s rho of two lists of grades paired by position, with counts of each pair; in [-1, 1]; NULL if a '
    'list is constant';
