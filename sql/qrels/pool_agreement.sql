-- pool_agreement: agreement between the annotators of a pool, from the grades on their sheets; one row per pair of
-- annotators with a document in common. Only for one query if query is given, and only for queries of a set (query_set)
-- if query_set is given.
--
-- Final grades of an adjudicator do not count.
-- documents: judged by both; same: share of them with the same grade; kappa, kappa_linear: cohen_kappa. To compare
-- submitted judgments, use agreement.
-- Raises IR103 the set names no query, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_agreement(pool text, query text DEFAULT NULL, query_set text DEFAULT 'all')
RETURNS TABLE (annotator text, other text, documents bigint, same double precision, kappa double precision,
               kappa_linear double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH graded AS (
        SELECT a.query, a.doc, a.annotator, a.rel::integer AS rel
          FROM qrels_assessments a JOIN st1_queries q ON q.id = a.query
         WHERE a.pool = pool_key(pool_agreement.pool) AND a.rel IS NOT NULL AND NOT a.final
           AND (pool_agreement.query IS NULL OR q.query = pool_agreement.query COLLATE "C")
           AND a.query IN (SELECT unnest(query_set_ids(pool_agreement.query_set))))
    SELECT a.annotator, b.annotator, count(*), avg((a.rel = b.rel)::integer)::double precision,
           cohen_kappa(array_agg(a.rel ORDER BY a.query, a.doc), array_agg(b.rel ORDER BY a.query, a.doc)),
           cohen_kappa(array_agg(a.rel ORDER BY a.query, a.doc), array_agg(b.rel ORDER BY a.query, a.doc), 'linear')
      FROM graded a JOIN graded b ON b.query = a.query AND b.doc = a.doc
      AND b.annotator COLLATE "C" > a.annotator COLLATE "C"
     GROUP BY a.annotator, b.annotator ORDER BY a.annotator COLLATE "C", b.annotator COLLATE "C"
$$;
COMMENT ON FUNCTION pool_agreement(text, text, text) IS
    'Agreement between each two annotators of a pool, from the grades on their sheets: share of equal grades, and '
    'kappa';
