-- coverage_words: the words of some abstracts, as the text index has them, one row a document and lexeme, with a whole
-- word for each.
--
--   place    of the document in docs, from 1
--   lexeme   what is counted: letters and digits with a letter among them, 2 characters to 40; stop words are out
--   word     what people read: of the words of these abstracts that become this lexeme and no other, the most frequent
--            one, first of the alphabet; whoever asks for it finds the lexeme. A lexeme that no single word becomes
--            cannot be asked for and has no row (surface_words does the same for few lexemes)
--   times    how often the abstract has it
--
-- Titles do not count: in the index their words have weight A, those of abstracts B. By place, then lexeme as bytes.
CREATE OR REPLACE FUNCTION coverage_words(docs bigint[])
RETURNS TABLE (place integer, lexeme text, word text, times integer)
LANGUAGE plpgsql STABLE ROWS 5000
SET search_path = stc, public, pg_temp
SET client_min_messages = warning  -- a word too long to be indexed is nothing to tell
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
          FROM texts x, ts_parse((SELECT c.cfgparser FROM pg_ts_config c WHERE c.oid = used), x.abstract) p
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
'The lexemes of some abstracts, how often each has them, and a whole word for each';
