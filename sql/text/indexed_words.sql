-- indexed_words: a text as the collection indexes it (text_words): its words, and words with slashes also as a whole.
-- BM25 and marks read queries so.
--
-- In a query over many rows pass (SELECT text_words()), so that it runs once.
CREATE OR REPLACE FUNCTION indexed_words(content text, words text DEFAULT text_words())
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE indexed_words.words WHEN 'split' THEN split_words(content, true) ELSE content END;
COMMENT ON FUNCTION indexed_words(text, text) IS 'A text as the collection indexes it';
