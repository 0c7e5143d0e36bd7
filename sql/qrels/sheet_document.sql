-- sheet_document: the document of a token on an annotator's sheet; no row if the sheet has none. of_query: name of its
-- query, if it is known, so that only this query's part of the sheet is read.
--
-- Raises IR110 no such pool, IR202 no annotator name, or the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION sheet_document(pool text, annotator text, token text, of_query text DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.query, s.doc
      FROM (SELECT (SELECT q.id FROM st1_queries q WHERE q.query = sheet_document.of_query COLLATE "C") AS id) q
     CROSS JOIN LATERAL pool_share(sheet_document.pool, sheet_document.annotator, q.id) s
     WHERE s.token = sheet_document.token AND (sheet_document.of_query IS NULL OR q.id IS NOT NULL)
$$;
COMMENT ON FUNCTION sheet_document(text, text, text, text) IS
    'The document of a token on an annotator''s sheet; no row if the sheet has none';
