-- query_with_words: name of a stored query with exactly these words (plain_words), in order; NULL if no query has them.
CREATE OR REPLACE FUNCTION query_with_words(words text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT min(q.query COLLATE "C") FROM st1_queries q WHERE plain_words(q.text) = query_with_words.words
$$;
COMMENT ON FUNCTION query_with_words(text[]) IS 'Name of a stored query with exactly these words; NULL if none';
