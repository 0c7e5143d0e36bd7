-- scored_words: the words of a query that BM25 scores: without those behind a minus. BM25 ranks by any of the words and requires
-- or excludes none; boolean_search does. (Excluding would be wrong here: "flow -dash experimental" is a dash in Cranfield.)
CREATE OR REPLACE FUNCTION scored_words(query text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- A whole phrase is passed over first, so that a minus within it is none.
RETURN regexp_replace(tidy_query(query), '("[^"]*")|(?<!\S)-("[^"]*"|\S+)', '\1', 'g');
COMMENT ON FUNCTION scored_words(text) IS 'The text of a query that BM25 scores: words behind a minus left out';
