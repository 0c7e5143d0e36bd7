-- sampled_ideals: DCG of the ideal ranking of the first depth documents, estimated from a sample: one row per query and
-- grade above 0; all arguments are keys.
--
-- The number of documents of a grade is estimated by sum over strata of size / judged · those found. ideal is the sum
-- over all grades, slope its derivative by the number of documents of this grade. whole: as in ideal_discount.
CREATE OR REPLACE FUNCTION sampled_ideals(edition integer, queries integer[], depth integer, whole boolean)
RETURNS TABLE (query integer, grade integer, ideal double precision, slope double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH grades AS (
        SELECT f.query, f.grade, sum(f.found * f.size / f.judged ORDER BY f.stratum) AS number
          FROM (SELECT d.query, d.stratum, d.rel::integer AS grade, d.size, d.judged, count(*) AS found
                  FROM sampled_documents(sampled_ideals.edition, sampled_ideals.queries) d WHERE d.rel > 0
                 GROUP BY d.query, d.stratum, d.rel, d.size, d.judged) f
         GROUP BY f.query, f.grade),
    placed AS (
        SELECT g.*, coalesce(sum(g.number) OVER (PARTITION BY g.query ORDER BY g.grade DESC
                                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS start
          FROM grades g),
    edges AS (
        SELECT p.*, CASE WHEN p.start + p.number < sampled_ideals.depth
                         THEN ln(2::double precision) / ln(floor(p.start + p.number) + 2) ELSE 0 END AS last,
               CASE WHEN p.start < sampled_ideals.depth
                    THEN ln(2::double precision) / ln(floor(p.start) + 2) ELSE 0 END AS first
          FROM placed p)
    SELECT e.query, e.grade,
           sum(e.grade * ideal_discount(e.start, e.number, sampled_ideals.depth, sampled_ideals.whole))
               OVER (PARTITION BY e.query),
           e.grade * e.last + coalesce(sum(e.grade * (e.last - e.first)) OVER (
               PARTITION BY e.query ORDER BY e.grade ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
      FROM edges e
$$;
COMMENT ON FUNCTION sampled_ideals(integer, integer[], integer, boolean) IS
    'DCG of the ideal ranking estimated from a sample, and its derivative by the number of documents of each grade';
