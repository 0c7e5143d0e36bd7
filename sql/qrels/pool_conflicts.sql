-- pool_conflicts: grades on the sheets of a pool that differ from an edition's judgments by the same annotator. They
-- prevent submit_pool into that edition.
--
-- Raises IR102 no such edition, IR110 no such pool.
CREATE OR REPLACE FUNCTION public.pool_conflicts(pool text, edition text)
RETURNS TABLE (query text, docno text, annotator text, rel smallint, stored smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_conflicts.pool);
    edition_id integer := edition_key(pool_conflicts.edition);
BEGIN
    RETURN QUERY
    SELECT q.query, d.docno, a.annotator, a.rel, j.rel
      FROM qrels_assessments a
      JOIN qrels_judgments j ON j.edition = edition_id AND j.query = a.query AND j.doc = a.doc AND j.origin = 'human'
                            AND j.annotator = a.annotator AND j.rel <> a.rel
      JOIN st1_queries q ON q.id = a.query
      JOIN dblp d ON d.id = a.doc
     WHERE a.pool = pool_id
     ORDER BY q.query, d.docno, a.annotator;
END
$$;
COMMENT ON FUNCTION public.pool_conflicts(text, text) IS
    'Grades on the sheets of a pool that differ from an edition''s judgments by the same annotator';
