-- coverage_query: query for boolean_search that requires all given words, in the syntax that users type
-- (docs/howto/search.md).
--
--   coverage_query('{voice,assistants}')               +voice +assistants
--   coverage_query('{voice,assistants}', 'abstract')   +abstract:voice +abstract:assistants
--
-- within: text (title or abstract) or abstract.
-- Raises IR202 invalid value of within, or a word that contains other characters than letters and digits.
CREATE OR REPLACE FUNCTION coverage_query(words text[], within text DEFAULT 'text')
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wrong text;
BEGIN
    IF coverage_query.within IS NULL OR coverage_query.within NOT IN ('text', 'abstract') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('cannot search for words within %L', coverage_query.within),
            HINT = 'Use text (title or abstract) or abstract.';
    END IF;
    SELECT u.word INTO wrong FROM unnest(coverage_query.words) u (word)
     WHERE (u.word COLLATE "pg_c_utf8" ~ '^[[:alnum:]]+$') IS NOT TRUE LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not a word', left(wrong, 80)),
            HINT = 'A word may contain only letters and digits.';
    END IF;
    RETURN (SELECT string_agg(CASE coverage_query.within WHEN 'text' THEN '+' ELSE '+abstract:' END || u.word, ' '
                              ORDER BY u.place)
              FROM unnest(coverage_query.words) WITH ORDINALITY u (word, place));
END
$$;
COMMENT ON FUNCTION coverage_query(text[], text) IS
    'Query for boolean_search that requires all given words, in title or abstract or in abstracts only';
