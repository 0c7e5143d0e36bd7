-- coverage_common: lexemes that do not tell topics apart, and are left out of them.
--
--   the lexemes of the given words under the configuration of the text index, and
--   lexemes whose document frequency, in title or abstract, is above max_df * documents and above 10
--
-- The lower bound of 10 documents keeps the words of a corpus that is small or about one subject. With max_df 1 no
-- lexeme is too frequent. Sorted as bytes.
CREATE OR REPLACE FUNCTION coverage_common(words text[], max_df double precision)
RETURNS TABLE (lexeme text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 400
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
    SELECT found.lexeme
      FROM (SELECT u.lexeme FROM unnest(to_tsvector(text_config(), indexed_words(array_to_string(words, ' ')))) u
            UNION
            SELECT l.lexeme FROM text_index i, text_lexemes l
             WHERE l.documents > greatest(max_df * i.documents, 10)) found
     ORDER BY found.lexeme COLLATE "C"
$$;
COMMENT ON FUNCTION coverage_common(text[], double precision) IS
    'Lexemes left out of topics: those of the given words, and those of more than max_df of the documents';
