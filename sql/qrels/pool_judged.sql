-- pool_judged: documents of a pool with their grades: from an edition if one is given, otherwise from the pool's own
-- sheets, where the final grade of an adjudicator counts, or the earliest of several annotators.
--
-- rel is NULL for documents that are not judged, or pooled only (a negative grade).
-- Raises IR102 no such edition, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_judged(pool text, edition text DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint, best_rank integer, weight double precision, rel smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_judged.pool);
    edition_id integer := CASE WHEN pool_judged.edition IS NOT NULL
                               THEN edition_key(pool_judged.edition) END;
BEGIN
    RETURN QUERY
    SELECT d.query, d.doc, d.best_rank, d.weight, k.rel
      FROM qrels_pool_documents d
      LEFT JOIN (SELECT j.query, j.doc, j.rel FROM qrels j WHERE j.edition = edition_id AND j.rel >= 0
                  UNION ALL
                 SELECT * FROM (SELECT DISTINCT ON (a.query, a.doc) a.query, a.doc, a.rel FROM qrels_assessments a
                                 WHERE edition_id IS NULL AND a.pool = pool_id AND a.rel IS NOT NULL
                                 ORDER BY a.query, a.doc, a.final DESC, a.changed,
                                          a.annotator) s) k ON k.query = d.query AND k.doc = d.doc
     WHERE d.pool = pool_id;
END
$$;
COMMENT ON FUNCTION pool_judged(text, text) IS
    'Documents of a pool with their grades, from an edition or the pool''s own sheets; rel is NULL if not judged';
