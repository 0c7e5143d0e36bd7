-- cohen_kappa: Cohen's kappa of two lists of grades paired by position; at most 1, 0 for chance agreement.
--
--   kappa = 1 - sum over pairs of grades w(x, y) n(x, y) / sum over pairs of grades w(x, y) n(x) n(y) / n,
--
-- weighting none: w = 1 if x <> y (Cohen, Educational and Psychological Measurement 20(1), 1960); linear: |x - y|;
-- quadratic: (x - y)² (Cohen, Psychological Bulletin 70(4), 1968). Distances are differences of grades, even if an
-- intermediate grade never occurs: equal to sklearn.metrics.cohen_kappa_score with all grades of the scale as labels.
--
-- counts: number of occurrences of each pair; 1 by default. Positions with NULL in either list are skipped. NULL if
-- there is no pair, or if both lists consist of one and the same grade.
-- Raises IR202 no such weighting.
CREATE OR REPLACE FUNCTION cohen_kappa(x integer[], y integer[], weighting text DEFAULT 'none',
                                       counts bigint[] DEFAULT NULL)
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF cohen_kappa.weighting IS NULL OR cohen_kappa.weighting NOT IN ('none', 'linear', 'quadratic') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not a weighting', cohen_kappa.weighting),
            HINT = 'Use none, linear or quadratic.';
    END IF;
    RETURN (
        WITH cells AS MATERIALIZED (
            SELECT c.x, c.y, sum(c.n)::double precision AS n
              FROM grade_pairs(cohen_kappa.x, cohen_kappa.y, cohen_kappa.counts) c GROUP BY c.x, c.y),
        rows AS (SELECT c.x, sum(c.n) AS n FROM cells c GROUP BY c.x),
        columns AS (SELECT c.y, sum(c.n) AS n FROM cells c GROUP BY c.y),
        seen AS (
            SELECT sum(c.n) AS n, sum(c.n * CASE cohen_kappa.weighting WHEN 'none' THEN (c.x <> c.y)::integer
                                                WHEN 'linear' THEN abs(c.x - c.y)
                                                ELSE (c.x - c.y)::double precision ^ 2 END) AS apart
              FROM cells c),
        chance AS (
            SELECT sum(r.n * k.n * CASE cohen_kappa.weighting WHEN 'none' THEN (r.x <> k.y)::integer
                                        WHEN 'linear' THEN abs(r.x - k.y)
                                        ELSE (r.x - k.y)::double precision ^ 2 END) AS apart
              FROM rows r CROSS JOIN columns k)
        SELECT 1 - seen.n * seen.apart / nullif(chance.apart, 0) FROM seen, chance);
END
$$;
COMMENT ON FUNCTION cohen_kappa(integer[], integer[], text, bigint[]) IS
    'Cohen''s kappa of two lists of grades paired by position, unweighted, linear or quadratic; at most 1; NULL if '
    'both are constant and equal';
