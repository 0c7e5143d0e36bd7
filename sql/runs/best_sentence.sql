-- best_sentence: sentence of a text that contains the most of the given lexemes; the earliest if tied.
--
-- A sentence ends at . ! or ? before white space and a capital, a digit, a quote or a bracket, except after common
-- abbreviations. Words are parsed by the collection's configuration (text_config). NULL for a text without a word.
CREATE OR REPLACE FUNCTION best_sentence(content text, lexemes text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT btrim(s.sentence, E' \t\r\n')
      FROM regexp_split_to_table(content,
               '(?<=[.!?][")\]]?)'  -- first, because it is the faster of the two
               '(?<![( ](?:e\.g|i\.e|al|cf|vs|resp|approx|Fig|Figs|Eq|Eqs|Sec|No|Dr|Prof|Mr|Ms|St)\.)'
               '\s+(?=[[:upper:]0-9"(\[])')
           WITH ORDINALITY AS s (sentence, place),
           LATERAL to_tsvector((SELECT text_config()), s.sentence) AS w (words)
     WHERE s.sentence ~ '\w'
     ORDER BY length(w.words) - length(ts_delete(w.words, lexemes)) DESC, s.place
     LIMIT 1
$$;
COMMENT ON FUNCTION best_sentence(text, text[]) IS
    'The sentence of a text that contains the most of the lexemes, the earliest if tied; NULL for a text without a '
    'word';
