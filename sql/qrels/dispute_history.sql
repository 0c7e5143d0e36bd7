-- dispute_history: decisions on documents of a pool over time: the stored grade or outcome of each annotator and
-- adjudicator, those that it replaced (qrels_decisions), and review status (review_document), the earliest first.
-- Undone decisions are omitted.
--
-- queries, docnos: the documents, by names in the same order. current: this decision is stored now.
-- Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION dispute_history(pool text, queries text[], docnos text[])
RETURNS TABLE (query text, docno text, annotator text, changed timestamptz, rel smallint, undecided boolean,
               note text, final boolean, current boolean, review text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(dispute_history.pool);
BEGIN
    RETURN QUERY
    WITH document AS (
        SELECT q.id AS query, e.id AS doc, u.query AS query_name, u.docno
          FROM unnest(dispute_history.queries, dispute_history.docnos) AS u (query, docno)
          JOIN st1_queries q ON q.query = u.query COLLATE "C"
          JOIN dblp e ON e.docno = u.docno COLLATE "C"),
    decided AS (
        SELECT d.query_name, d.docno, a.annotator, a.changed, a.rel, a.undecided, a.note, a.final, true AS current,
               NULL::text AS review
          FROM document d JOIN qrels_assessments a ON a.pool = pool_id AND a.query = d.query AND a.doc = d.doc
         UNION ALL
        SELECT d.query_name, d.docno, h.annotator, h.changed, h.rel, h.undecided, h.note, false, false,
               NULL
          FROM document d JOIN qrels_decisions h ON h.pool = pool_id AND h.query = d.query AND h.doc = d.doc
         WHERE h.changed IS NOT NULL AND h.undone IS NULL
         UNION ALL
        SELECT d.query_name, d.docno, r.reviewer, r.marked, NULL, false, r.note, false,
               r.id = max(r.id) OVER (PARTITION BY r.query, r.doc), r.state
          FROM document d JOIN qrels_reviews r ON r.pool = pool_id AND r.query = d.query AND r.doc = d.doc)
    SELECT d.* FROM decided d ORDER BY d.query_name COLLATE "C", d.docno, d.changed, d.annotator COLLATE "C", d.current;
END
$$;
COMMENT ON FUNCTION dispute_history(text, text[], text[]) IS
    'Decisions on documents of a pool over time, with those that were replaced, the earliest first';
