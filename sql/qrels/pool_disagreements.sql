-- pool_disagreements: documents of a pool to which annotators gave different grades, one row per document and
-- annotator, with grade, note and time. Only for one query if query is given, and only for queries of a set (query_set)
-- if query_set is given.
--
-- final, final_by: grade and name of the adjudicator who resolved the disagreement (adjudicate); NULL if it is open.
-- review, reviewer, reviewed: the review status (review_document): open, in review or settled, by whom and since when;
-- reviewer is NULL if nobody has marked the document.
-- marked: also documents without different grades that somebody has marked.
--
-- Within a query, the largest differences come first. apart: difference between the highest and the lowest grade.
-- Raises IR103 the set names no query, IR110 no such pool.
CREATE OR REPLACE FUNCTION public.pool_disagreements(pool text, query text DEFAULT NULL, query_set text DEFAULT 'all',
                                                     marked boolean DEFAULT false)
RETURNS TABLE (query text, query_text text, docno text, title text, apart integer, annotator text, rel smallint,
               note text,
               changed timestamptz, submitted boolean, final smallint, final_by text, review text, reviewer text,
               reviewed timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH graded AS (
        SELECT a.*, max(a.rel) OVER document - min(a.rel) OVER document AS apart
          FROM qrels_assessments a
         WHERE a.pool = pool_key(pool_disagreements.pool) AND a.rel IS NOT NULL AND NOT a.final
        WINDOW document AS (PARTITION BY a.query, a.doc))
    SELECT q.query, q.text, d.docno, coalesce(x.title, d.doc ->> 'title'), g.apart, g.annotator, g.rel, g.note,
           g.changed,
           g.submitted IS NOT NULL, f.rel, f.annotator,
           coalesce(r.state, CASE WHEN f.rel IS NOT NULL THEN 'settled' ELSE 'open' END), r.reviewer, r.marked
      FROM graded g
      JOIN st1_queries q ON q.id = g.query
      JOIN dblp d ON d.id = g.doc
      LEFT JOIN dblp_text x ON x.id = g.doc
      LEFT JOIN LATERAL (SELECT a.rel, a.annotator FROM qrels_assessments a
                          WHERE a.pool = g.pool AND a.query = g.query AND a.doc = g.doc AND a.final
                          ORDER BY a.changed DESC LIMIT 1) f ON true
      LEFT JOIN LATERAL (SELECT v.state, v.reviewer, v.marked FROM qrels_reviews v
                          WHERE v.pool = g.pool AND v.query = g.query AND v.doc = g.doc
                          ORDER BY v.id DESC LIMIT 1) r ON true
     WHERE (g.apart > 0 OR (pool_disagreements.marked AND r.state IS NOT NULL))
       AND (pool_disagreements.query IS NULL OR q.query = pool_disagreements.query COLLATE "C")
       AND q.id IN (SELECT unnest(query_set_ids(pool_disagreements.query_set)))
     ORDER BY q.query COLLATE "C", g.apart DESC, d.docno, g.annotator COLLATE "C"
$$;
COMMENT ON FUNCTION public.pool_disagreements(text, text, text, boolean) IS
    'Documents of a pool with different grades by several annotators, one row per document and annotator, with the '
    'final grade if there is one and the review status; largest difference first';
