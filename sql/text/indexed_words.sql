-- indexed_words: a text as the collection indexes it (text_words): its words, and words with slashes also as a whole.
--
-- wholes: false leaves these out, so that each character keeps its place (split_words).
-- In a query over many rows pass (SELECT text_words()), so that it runs once.
CREATE OR REPLACE FUNCTION indexed_words(content text, words text DEFAULT text_words(), wholes boolean DEFAULT true)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE indexed_words.words WHEN 'split' THEN split_words(content, wholes) ELSE content END;
COMMENT ON FUNCTION indexed_words(text, text, boolean) IS 'A text as the collection indexes it';
