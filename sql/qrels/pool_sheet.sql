-- pool_sheet: sheet of an annotator: the documents to judge, in order, with topic, query, title and abstract, and the
-- grade and note so far. article_title, article_origin and article are those of article_shown.
--
-- Run, rank and score are omitted, so that assessors judge blind. state: open, skipped, undecided (the annotator cannot
-- decide), draft (judged, can be changed) or submitted.
-- metadata: other fields of the document, by name (show_metadata).
-- of_query: only the documents of this query, by its name; place then counts from 1.
-- Raises IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION pool_sheet(pool text, annotator text, of_query text DEFAULT NULL)
RETURNS TABLE (place integer, token text, topic text, topic_text text, article_title text, article_origin text,
               article text, query text, query_text text, docno text, title text, abstract text, rel smallint,
               note text, state text, changed timestamptz, metadata jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_sheet.pool);
    shown jsonb := (SELECT p.params -> 'metadata' FROM qrels_pools p WHERE p.id = pool_id);
    query_id integer := (SELECT q.id FROM st1_queries q WHERE q.query = pool_sheet.of_query COLLATE "C");
BEGIN
    RETURN QUERY
    SELECT s.place, s.token, t.topic, t.text, p.title, p.origin, p.article, q.query, q.text, d.docno,
           coalesce(x.title, d.doc ->> 'title'), x.abstract, a.rel, a.note,
           CASE WHEN a.submitted IS NOT NULL THEN 'submitted' WHEN a.rel IS NOT NULL THEN 'draft'
                WHEN a.undecided THEN 'undecided' WHEN a.changed IS NOT NULL THEN 'skipped' ELSE 'open' END, a.changed,
           CASE WHEN shown IS NULL THEN '{}' ELSE shown_metadata(shown, s.doc) END
      FROM pool_share(pool_sheet.pool, pool_sheet.annotator, query_id) s
      JOIN st1_queries q ON q.id = s.query
      LEFT JOIN (st1_topics t CROSS JOIN LATERAL article_shown(t) p) ON t.id = q.topic
      JOIN dblp d ON d.id = s.doc
      LEFT JOIN dblp_text x ON x.id = s.doc
      LEFT JOIN qrels_assessments a
        ON a.pool = pool_id AND a.query = s.query AND a.doc = s.doc AND a.annotator = pool_sheet.annotator COLLATE "C"
     WHERE pool_sheet.of_query IS NULL OR query_id IS NOT NULL
     ORDER BY s.place;
END
$$;
COMMENT ON FUNCTION pool_sheet(text, text, text) IS
    'Sheet of an annotator: the documents to judge, in order, with texts, and grade, note and state so far; NULL '
    'if not graded';
