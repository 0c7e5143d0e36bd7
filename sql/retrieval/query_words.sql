-- query_words: the words of a text as normalised by a text search configuration: lexeme, the tsquery that matches it,
-- and the number of occurrences.
CREATE OR REPLACE FUNCTION query_words(config regconfig, words text)
RETURNS TABLE (lexeme text, term tsquery, qtf integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
BEGIN ATOMIC
    SELECT u.lexeme, lexeme_term(u.lexeme), cardinality(u.positions)
      FROM unnest(to_tsvector(config, words)) u;
END;
COMMENT ON FUNCTION query_words(regconfig, text) IS
'Lexemes of a text, each as a tsquery with its number of occurrences';
