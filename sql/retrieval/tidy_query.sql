-- tidy_query: a query as people type it, with what is meant as syntax told from what is not. What is left for the search functions:
--
--   -word  -"a phrase"   a minus at the start of a word, or of a phrase: not this
--   "a phrase"           quotes, always balanced: an odd one is dropped
--
-- A plus at the start of a word is what every word has anyway (boolean_search) or cannot have (bm25_search), and goes; a minus
-- among blanks is a dash; runs of signs are decoration (websearch_to_tsquery fails on them: "tsquery stack too small"). < and > go,
-- since the text parser would take what stands between them for a tag. Anything is a query: nothing raises.
--
-- At most 10,000 characters are read, some 1,500 words: beyond it lie the parser's limits.
CREATE OR REPLACE FUNCTION tidy_query(query text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT regexp_replace(
        -- the last of an odd number of quotes
        CASE WHEN mod(length(typed) - length(replace(typed, '"', '')), 2) = 0 THEN typed
             ELSE regexp_replace(typed, '"([^"]*)$', ' \1') END,
        -- signs before a word: the last one counts, and only a minus means something; or signs that do not end a word
        '(?<!\S)[-+]*(-)(?=[[:alnum:]"])|(?<![[:alnum:]])[-+]+', ' \1', 'g')
      FROM (SELECT translate(left(coalesce(query, ''), 10000), '<>', '  ') AS typed)
);
COMMENT ON FUNCTION tidy_query(text) IS 'A typed query: -word, -"phrase" and "phrase" kept, all other syntax made blank';
