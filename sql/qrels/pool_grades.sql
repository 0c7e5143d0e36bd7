-- pool_grades: grades on the sheets of a pool by one annotator, submitted or not; or, if annotator is NULL, one grade
-- per document: that of an adjudicator, else the earliest. Unordered.
CREATE OR REPLACE FUNCTION pool_grades(pool_id integer, annotator text)
RETURNS TABLE (query integer, doc bigint, rel smallint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT DISTINCT ON (a.query, a.doc) a.query, a.doc, a.rel
      FROM qrels_assessments a
     WHERE a.pool = pool_grades.pool_id AND a.rel IS NOT NULL
       AND (pool_grades.annotator IS NULL OR a.annotator = pool_grades.annotator COLLATE "C")
     ORDER BY a.query, a.doc, a.final DESC, a.changed, a.annotator COLLATE "C"
$$;
COMMENT ON FUNCTION pool_grades(integer, text) IS
    'Grades on the sheets of a pool, by one annotator or one per document; submitted or not';
