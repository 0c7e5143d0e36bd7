-- pool_alpha: Krippendorff's alpha over all annotators of a pool, from the grades on their sheets. Only for one query
-- if query is given, and only for queries of a set (query_set) if query_set is given.
--
-- Final grades of an adjudicator do not count.
-- documents and judgments count what more than one annotator judged. Formula, and when it is NULL: krippendorff_alpha.
-- Raises IR103 the set names no query, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_alpha(pool text, query text DEFAULT NULL, query_set text DEFAULT 'all')
RETURNS TABLE (annotators bigint, documents bigint, judgments bigint, alpha_nominal double precision,
               alpha_ordinal double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH graded AS (
        SELECT dense_rank() OVER (ORDER BY a.query, a.doc) AS unit, count(*) OVER (PARTITION BY a.query, a.doc) AS m,
               a.annotator,
               a.rel::integer AS rel
          FROM qrels_assessments a JOIN st1_queries q ON q.id = a.query
         WHERE a.pool = pool_key(pool_alpha.pool) AND a.rel IS NOT NULL AND NOT a.final
           AND (pool_alpha.query IS NULL OR q.query = pool_alpha.query COLLATE "C")
           AND a.query IN (SELECT unnest(query_set_ids(pool_alpha.query_set))))
    SELECT count(DISTINCT g.annotator), count(DISTINCT g.unit), count(*),
           krippendorff_alpha(array_agg(g.unit), array_agg(g.rel), 'nominal'),
           krippendorff_alpha(array_agg(g.unit), array_agg(g.rel))
      FROM graded g WHERE g.m > 1
$$;
COMMENT ON FUNCTION pool_alpha(text, text, text) IS
    'Krippendorff''s alpha over all annotators of a pool, from the grades on their sheets; at most 1; NULL if '
    'undefined';
