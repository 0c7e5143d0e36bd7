-- query_words: the words of a text as the text search configuration makes them: lexeme, the tsquery that finds it,
-- occurrences.
CREATE OR REPLACE FUNCTION query_words(config regconfig, words text)
RETURNS TABLE (lexeme text, term tsquery, qtf integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
BEGIN ATOMIC
    SELECT u.lexeme, lexeme_term(u.lexeme), cardinality(u.positions)
      FROM unnest(to_tsvector(config, words)) u;
END;
COMMENT ON FUNCTION query_words(regconfig, text) IS
'The lexemes of a text, each as a tsquery, and how often each occurs';
