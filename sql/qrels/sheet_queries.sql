-- sheet_queries: how far the sheet of an annotator is, one row a query, in the order of the sheet: its documents, how
-- many are judged, how many were skipped so far, how many are submitted. Raises IR110 no such pool, IR202 an annotator
-- the pool is not shared with.
CREATE OR REPLACE FUNCTION sheet_queries(pool text, annotator text)
RETURNS TABLE (query text, query_text text, documents bigint, judged bigint, skipped bigint, submitted bigint)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT q.query, q.text, count(*), count(a.rel), count(a.changed) FILTER (WHERE a.rel IS NULL), count(a.submitted)
      FROM pool_share(sheet_queries.pool, sheet_queries.annotator) s
      JOIN st1_queries q ON q.id = s.query
      LEFT JOIN qrels_assessments a
        ON a.pool = pool_key(sheet_queries.pool) AND a.query = s.query AND a.doc = s.doc
       AND a.annotator = sheet_queries.annotator COLLATE "C"
     GROUP BY q.query, q.text ORDER BY min(s.place)
$$;
COMMENT ON FUNCTION sheet_queries(text, text) IS 'How far the sheet of an annotator is, per query';
