-- coincidence_alpha: Krippendorff's alpha of a coincidence matrix; at most 1, 0 for chance agreement.
--
--   alpha = 1 - (n - 1) sum o(x, y) d²(x, y) / sum n(x) n(y) d²(x, y)
--
-- over all pairs of grades. level nominal: d² = 1 if x <> y; interval: (x - y)²; ordinal: (r(x) - r(y))², r(x) = number
-- of grades below x plus half of those equal to it (Krippendorff, Content Analysis, 2nd ed. 2004, section 11.3). counts
-- contains o at x and y for both halves of the symmetric matrix. NULL if only one grade occurs or the matrix is empty.
-- Raises IR202 no such level.
CREATE OR REPLACE FUNCTION coincidence_alpha(x integer[], y integer[], counts double precision[],
                                             level text DEFAULT 'ordinal')
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF coincidence_alpha.level IS NULL OR coincidence_alpha.level NOT IN ('nominal', 'ordinal', 'interval') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a level of measurement', coincidence_alpha.level),
            HINT = 'Use nominal, ordinal or interval.';
    END IF;
    RETURN (
        WITH cells AS MATERIALIZED (
            SELECT c.x, c.y, sum(c.n) AS n
              FROM unnest(coincidence_alpha.x, coincidence_alpha.y, coincidence_alpha.counts) AS c (x, y, n)
             GROUP BY c.x, c.y),
        grades AS MATERIALIZED (
            SELECT c.x, sum(c.n) AS n,
                   CASE coincidence_alpha.level WHEN 'ordinal' THEN sum(sum(c.n)) OVER (ORDER BY c.x) - sum(c.n) / 2
                        ELSE c.x END AS at
              FROM cells c GROUP BY c.x),
        seen AS (
            SELECT sum(c.n * CASE coincidence_alpha.level WHEN 'nominal' THEN (c.x <> c.y)::integer
                                  ELSE (a.at - b.at) ^ 2 END) AS apart
              FROM cells c JOIN grades a ON a.x = c.x JOIN grades b ON b.x = c.y),
        chance AS (
            SELECT sum(a.n * b.n * CASE coincidence_alpha.level WHEN 'nominal' THEN (a.x <> b.x)::integer
                                        ELSE (a.at - b.at) ^ 2 END)
                   AS apart
              FROM grades a CROSS JOIN grades b)
        SELECT 1 - ((SELECT sum(g.n) FROM grades g) - 1) * seen.apart / nullif(chance.apart, 0) FROM seen, chance);
END
$$;
COMMENT ON FUNCTION coincidence_alpha(integer[], integer[], double precision[], text) IS
    'Krippendorff''s alpha of a coincidence matrix: nominal, ordinal or interval; at most 1; NULL if only one '
    'grade occurs';
