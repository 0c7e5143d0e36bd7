-- tidy_query: normalise a typed query: keep the signs that are syntax and remove the others. query_pieces and
-- scored_words find in its result:
--
--   -word  -"a phrase"  -title:word  -(…)   a minus at the start of a word, phrase or parenthesis: excluded
--   +word  +"a phrase"  …                   a plus there: required
--   "a phrase"                              quotes, always balanced: an odd one is dropped; in a query of more than 16
--                                           words quotes are quotation marks and are dropped, unless a sign or a field
--                                           precedes them
--   OR                                      in upper case if it is an operator
--
-- Of several signs before a word the last counts. Signs between blanks, or before a sign of another kind, are dashes
-- and decoration, and are dropped. < and > are dropped, because the text parser would treat the text between them as a
-- tag. "or" in lower case is an operator in a query of at most 16 words; in a longer one it is a word. Every text is a
-- valid query; nothing raises.
--
-- At most 10,000 characters are read, about 1,500 words, because of the parser's limits: the last word is whole, unless
-- the first is longer. Loads of topics, runs and 'stc search' name longer queries.
CREATE OR REPLACE FUNCTION tidy_query(query text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN regexp_count(read, '\S+') > 16
                THEN regexp_replace(read, '((?<![^\s(|])(?:[-+]|[-+]?(?:title|abstract):)"[^"]*")|"([^"]*)"',
                                    '\1 \2 ', 'gi')
                ELSE read END
      FROM (SELECT regexp_replace(
        -- the last of an odd number of quotes
        CASE WHEN mod(length(asked) - length(replace(asked, '"', '')), 2) = 0 THEN asked
             ELSE regexp_replace(asked, '"([^"]*)$', ' \1') END,
        -- signs before a word: the last one counts; or signs that do not end a word
        '(?<![^\s(|])[-+]*([-+])(?=[[:alnum:]"(])|(?<![[:alnum:]])[-+]+', ' \1', 'g') AS read
      FROM (SELECT CASE WHEN regexp_count(typed, '\S+') > 16 THEN typed
                        ELSE regexp_replace(typed, '(?<![^\s()|])or(?![^\s()|])', 'OR', 'gi') END AS asked
              FROM (SELECT translate(
                        CASE WHEN length(query) > 10000
                             THEN coalesce(nullif(regexp_replace(left(query, 10001), '\S*$', ''), ''),
                                           left(query, 10000))
                             ELSE coalesce(query, '') END, '<>', '  ') AS typed)))
);
COMMENT ON FUNCTION tidy_query(text) IS
'Normalise a typed query: keep syntax (signs, quotes, OR), replace other signs with blanks';
