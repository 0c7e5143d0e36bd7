-- scored_words: the words of a query that BM25 scores, without the syntax of boolean_search (docs/howto/search.md).
--
--   -word  -"a phrase"  -title:word  -(a b)   removed
--   +word  title:word  word*                  word; a prefix counts as a whole word here
--   a OR b   a | b                            a b
--
-- BM25 ranks by any of the words and neither requires nor excludes words; boolean_search does. (Excluding would be
-- wrong
-- here: "flow -dash experimental" is a dash in Cranfield.)
CREATE OR REPLACE FUNCTION scored_words(query text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    -- Whole phrases are matched first, so that a minus inside one is not an operator.
    regexp_replace(tidy_query(query),
        '("[^"]*")|(?<![^\s(|])-(?:(?:title|abstract):)?(?:\([^()"]*\)|"[^"]*"|[^\s()|"]+)', '\1', 'gi'),
    '("[^"]*")|(?<![^\s()|+])\+|(?<![^\s()|+"])(?:title|abstract):(?=[^\s)|])|(?<![^\s()|])(?:OR|AND)(?![^\s()|])|[*|]',
    '\1 ', 'g');
COMMENT ON FUNCTION scored_words(text) IS
'Words of a query that BM25 scores: without syntax and without words after a minus';
