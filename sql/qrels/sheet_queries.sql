-- sheet_queries: progress of an annotator's sheet, one row per query in the order of the sheet: numbers of documents,
-- of judged, of skipped, of submitted ones, and of those that the annotator cannot decide. Only queries of a set
-- (query_set).
--
-- Raises IR103 the set names no query, IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION sheet_queries(pool text, annotator text, query_set text DEFAULT 'all')
RETURNS TABLE (query text, query_text text, documents bigint, judged bigint, skipped bigint, submitted bigint,
               undecided bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, q.text, count(*), count(a.rel), count(a.changed) FILTER (WHERE a.rel IS NULL AND NOT a.undecided),
           count(a.submitted), count(*) FILTER (WHERE a.undecided)
      FROM share_documents(sheet_queries.pool, sheet_queries.annotator) s
      JOIN st1_queries q ON q.id = s.query
      LEFT JOIN qrels_assessments a
        ON a.pool = pool_key(sheet_queries.pool) AND a.query = s.query AND a.doc = s.doc
       AND a.annotator = sheet_queries.annotator COLLATE "C"
     WHERE s.query IN (SELECT unnest(query_set_ids(sheet_queries.query_set)))
     GROUP BY q.query, q.text
     ORDER BY sheet_place((SELECT p.params ->> 'seed' FROM qrels_pools p
                            WHERE p.id = pool_key(sheet_queries.pool)), sheet_queries.annotator, q.query), q.query
$$;
COMMENT ON FUNCTION sheet_queries(text, text, text) IS
    'Progress of an annotator''s sheet per query: numbers of documents, judged, skipped, submitted and undecided ones';
