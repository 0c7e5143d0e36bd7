-- bm25_query: the text that BM25 scores for a query: its scored_words, as the collection indexes them (indexed_words).
CREATE OR REPLACE FUNCTION bm25_query(query text)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN indexed_words(scored_words(query));
COMMENT ON FUNCTION bm25_query(text) IS 'The text that BM25 scores for a query';
