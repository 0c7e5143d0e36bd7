-- pool_decisions: all decisions of a pool, one row per document and annotator, with grade, note and time.
--
--   outcome    graded, undecided (the annotator cannot decide), skipped, or final (an adjudicator's grade)
--   grade      NULL unless the outcome is graded or final
--   seconds    time from showing the document to the decision; NULL if it was not measured
--   submitted  true if the grade was submitted to an edition
--   review     review status of the document (review_document), and reviewer, who set it; NULL if nobody has marked it
--
-- Ordered by query, document and annotator. Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_decisions(pool text)
RETURNS TABLE (query text, docno text, annotator text, outcome text, grade smallint, note text, seconds real,
               changed timestamptz, submitted boolean, review text, reviewer text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, d.docno, a.annotator,
           CASE WHEN a.final THEN 'final' WHEN a.rel IS NOT NULL THEN 'graded'
                WHEN a.undecided THEN 'undecided' ELSE 'skipped' END,
           a.rel, a.note, a.seconds, a.changed, a.submitted IS NOT NULL, r.state, r.reviewer
      FROM qrels_assessments a
      JOIN st1_queries q ON q.id = a.query
      JOIN dblp d ON d.id = a.doc
      LEFT JOIN LATERAL (SELECT v.state, v.reviewer FROM qrels_reviews v
                          WHERE v.pool = a.pool AND v.query = a.query AND v.doc = a.doc
                          ORDER BY v.id DESC LIMIT 1) r ON true
     WHERE a.pool = pool_key(pool_decisions.pool)
     ORDER BY q.query COLLATE "C", d.docno, a.annotator COLLATE "C"
$$;
COMMENT ON FUNCTION pool_decisions(text) IS
    'All decisions of a pool: document, annotator, outcome, grade, note, seconds and time';
