-- sampled_ideals: DCG of the ideal ranking of the first depth documents, estimated from a sample: one row per query
-- with a grade above 0; all arguments are keys.
--
-- The number of documents of a grade is estimated by sum over strata of size / judged · those found. whole: as in
-- ideal_discount. The DCG is concave in these numbers, so that the estimate is too low on average: on Cranfield by 15 %
-- at rank 10, where a sample of 27 % has few of the seven relevant documents of a query (benchmarks/samples.py).
CREATE OR REPLACE FUNCTION sampled_ideals(edition integer, queries integer[], depth integer, whole boolean)
RETURNS TABLE (query integer, ideal double precision)
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
          FROM grades g)
    SELECT p.query, sum(p.grade * ideal_discount(p.start, p.number, sampled_ideals.depth, sampled_ideals.whole)
                        ORDER BY p.grade)
      FROM placed p GROUP BY p.query
$$;
COMMENT ON FUNCTION sampled_ideals(integer, integer[], integer, boolean) IS
    'DCG of the ideal ranking estimated from a sample';
