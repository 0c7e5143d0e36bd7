-- coincidences: coincidence matrix of the grades by any number of annotators, one row per pair of grades that
-- coincides; symmetric.
--
--   o(x, y) = sum over units u of n(u, x) (n(u, y) - [x = y]) / (m(u) - 1)
--
-- n(u, x): number of annotators who gave unit u the grade x; m(u): number who graded it. Units with a single grade are
-- ignored (Krippendorff, Content Analysis, 2nd ed. 2004, section 11.3). units and rels are paired by position;
-- positions with a NULL are skipped.
CREATE OR REPLACE FUNCTION coincidences(units bigint[], rels integer[])
RETURNS TABLE (x integer, y integer, n double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH given AS MATERIALIZED (
        SELECT g.unit, g.rel, count(*) AS n, sum(count(*)) OVER (PARTITION BY g.unit) AS m
          FROM unnest(coincidences.units, coincidences.rels) AS g (unit, rel)
         WHERE g.unit IS NOT NULL AND g.rel IS NOT NULL GROUP BY g.unit, g.rel)
    SELECT a.rel, b.rel, sum(a.n * (b.n - (a.rel = b.rel)::integer) / (a.m - 1)::double precision) AS o
      FROM given a JOIN given b USING (unit) WHERE a.m > 1
     GROUP BY a.rel, b.rel
    HAVING sum(a.n * (b.n - (a.rel = b.rel)::integer)) > 0
$$;
COMMENT ON FUNCTION coincidences(bigint[], integer[]) IS
    'Coincidence matrix of the grades by any number of annotators, as used by Krippendorff''s alpha';
