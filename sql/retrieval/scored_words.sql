-- scored_words: the words of a query that BM25 scores: those of boolean_search's syntax (docs/queries.md) without the
-- syntax.
--
--   -word  -"a phrase"  -title:word  -(a b)   left out
--   +word  title:word  word*                  word; a prefix is a whole word here
--   a OR b   a | b                            a b
--
-- BM25 ranks by any of the words and requires or excludes none; boolean_search does. (Excluding would be wrong here:
-- "flow -dash experimental" is a dash in Cranfield.)
CREATE OR REPLACE FUNCTION scored_words(query text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    -- A whole phrase is passed over first, so that a minus within it is none.
    regexp_replace(tidy_query(query),
        '("[^"]*")|(?<![^\s(|])-(?:(?:title|abstract):)?(?:\([^()"]*\)|"[^"]*"|[^\s()|"]+)', '\1', 'gi'),
    '("[^"]*")|(?<![^\s()|+])\+|(?<![^\s()|+"])(?:title|abstract):(?=[^\s)|])|(?<![^\s()|])(?:OR|AND)(?![^\s()|])|[*|]',
    '\1 ', 'g');
COMMENT ON FUNCTION scored_words(text) IS
'The text of a query that BM25 scores: without syntax, and without what is behind a minus';
