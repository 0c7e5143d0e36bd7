-- best_sentence: sentence of a text that contains the most of the given lexemes; the earliest if tied.
--
-- A sentence ends at . ! or ? before white space and a capital, a digit, a quote or a bracket, except after common
-- abbreviations. Words are parsed by the collection's configuration (text_config). NULL for a text without a word.
--
-- Splitting at a pattern that looks behind takes four times as long, so only texts with an abbreviation before such a
-- place are split like that. The record separator, U+001E, marks the ends.
CREATE OR REPLACE FUNCTION best_sentence(content text, lexemes text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT btrim(s.sentence, E' \t\r\n')
      FROM (SELECT translate(content, E'\x1e', ' ') AS plain, '\s+(?=[[:upper:]0-9"(\[])' AS gap,
                   '[( ](?:e\.g|i\.e|al|cf|vs|resp|approx|Fig|Figs|Eq|Eqs|Sec|No|Dr|Prof|Mr|Ms|St)\.' AS short) AS c,
           string_to_table(
               CASE WHEN c.plain ~ (c.short || c.gap)
                    -- The first pattern that looks behind is the faster one.
                    THEN regexp_replace(c.plain, '(?<=[.!?][")\]]?)(?<!' || c.short || ')' || c.gap, E'\x1e', 'g')
                    ELSE regexp_replace(c.plain, '([.!?][")\]]?)' || c.gap, E'\\1\x1e', 'g') END,
               E'\x1e') WITH ORDINALITY AS s (sentence, place),
           LATERAL to_tsvector((SELECT text_config()), indexed_words(s.sentence, (SELECT text_words()))) AS w (words)
     WHERE s.sentence ~ '\w'
     ORDER BY length(w.words) - length(ts_delete(w.words, lexemes)) DESC, s.place
     LIMIT 1
$$;
COMMENT ON FUNCTION best_sentence(text, text[]) IS
    'The sentence of a text that contains the most of the lexemes, the earliest if tied; NULL for a text without a '
    'word';
