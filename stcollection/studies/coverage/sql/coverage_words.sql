-- coverage_words: lexemes of some abstracts from the text index, one row per document and lexeme, with a readable word
-- for each.
--
--   place    position of the document in docs, from 1
--   lexeme   letters and digits with at least one letter, 2 to 40 characters; stop words are omitted
--   word     word to show: of the words in these abstracts that map to this lexeme only, the most frequent, first in
--            the alphabet if tied. Searching for it finds the lexeme. A lexeme to which no single word maps cannot be
--            searched for and has no row (surface_words does the same for few lexemes)
--   times    number of occurrences in the abstract
--
-- Titles do not count: in the index their words have weight A, those of abstracts B. By place, then lexeme as bytes.
CREATE OR REPLACE FUNCTION coverage_words(docs bigint[])
RETURNS TABLE (place integer, lexeme text, word text, times integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5000
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- hides notices about words too long to be indexed
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    used CONSTANT regconfig := text_config();
BEGIN
    RETURN QUERY
    WITH texts AS MATERIALIZED (
        SELECT d.place::integer AS place, t.abstract, t.tsv
          FROM unnest(coverage_words.docs) WITH ORDINALITY d (doc, place) JOIN dblp_text t ON t.id = d.doc),
    held AS MATERIALIZED (
        SELECT x.place, u.lexeme, cardinality(u.positions) AS times
          FROM texts x, unnest(ts_filter(x.tsv, '{b}')) u
         WHERE length(u.lexeme) BETWEEN 2 AND 40
           AND u.lexeme COLLATE "pg_c_utf8" ~ '^[[:alnum:]]+$' AND u.lexeme COLLATE "pg_c_utf8" ~ '[[:alpha:]]'),
    written AS MATERIALIZED (
        SELECT lower(p.token) AS word, count(*) AS times
          FROM texts x, ts_parse((SELECT c.cfgparser FROM pg_ts_config c WHERE c.oid = used),
                                  indexed_words(x.abstract, (SELECT text_words()))) p
         WHERE p.token COLLATE "pg_c_utf8" ~ '^[[:alnum:]]+$'
         GROUP BY lower(p.token)),
    become AS MATERIALIZED (
        SELECT w.word, w.times, to_tsvector(used, w.word) AS made FROM written w),
    words AS MATERIALIZED (
        SELECT DISTINCT ON (u.lexeme) u.lexeme, b.word
          FROM become b, unnest(b.made) u
         WHERE length(b.made) = 1
         ORDER BY u.lexeme, b.times DESC, b.word COLLATE "C")
    SELECT h.place, h.lexeme, w.word, h.times
      FROM held h JOIN words w USING (lexeme)
     ORDER BY h.place, h.lexeme COLLATE "C";
END
$$;
COMMENT ON FUNCTION coverage_words(bigint[]) IS
    'Lexemes of some abstracts with their number of occurrences and a readable word for each; by document and lexeme';
