-- pool_depths: documents found by a pool up to each depth, one row per depth from 1 to that of the pool.
--
--   documents  documents whose best rank in any run is within the depth
--   judged     those that are judged
--   found      those that are relevant, with a grade of at least relevant
--   estimate   for a stratified pool, the estimated number of relevant documents if all were judged: each relevant
--              document counts with its weight, the inverse of its sampling probability (Horvitz & Thompson, JASA
--              47(260), 1952); NULL for other pools
--
-- Raises IR102 no such edition, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_depths(pool text, edition text DEFAULT NULL, relevant integer DEFAULT 1)
RETURNS TABLE (depth integer, documents bigint, judged bigint, found bigint, estimate double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stored qrels_pools := (SELECT p FROM qrels_pools p WHERE p.id = pool_key(pool_depths.pool));
BEGIN
    RETURN QUERY
    SELECT g.depth, (sum(coalesce(d.documents, 0)) OVER deeper)::bigint,
           (sum(coalesce(d.judged, 0)) OVER deeper)::bigint, (sum(coalesce(d.found, 0)) OVER deeper)::bigint,
           CASE WHEN stored.method = 'strata' THEN sum(coalesce(d.weighted, 0)) OVER deeper END
      FROM generate_series(1, (stored.params ->> 'depth')::integer) AS g (depth)
      LEFT JOIN (SELECT j.best_rank, count(*) AS documents, count(j.rel) AS judged,
                        count(*) FILTER (WHERE j.rel >= pool_depths.relevant) AS found,
                        sum(j.weight) FILTER (WHERE j.rel >= pool_depths.relevant) AS weighted
                   FROM pool_judged(pool_depths.pool, pool_depths.edition) j
                  GROUP BY j.best_rank) d ON d.best_rank = g.depth
    WINDOW deeper AS (ORDER BY g.depth);
END
$$;
COMMENT ON FUNCTION pool_depths(text, text, integer) IS
    'Numbers of documents, judged and relevant ones that a pool has found up to each depth';
