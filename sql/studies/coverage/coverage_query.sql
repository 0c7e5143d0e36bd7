-- coverage_query: some words as people would type them who want all of them (docs/queries.md): boolean_search takes it.
--
--   coverage_query('{voice,assistants}')               +voice +assistants
--   coverage_query('{voice,assistants}', 'abstract')   +abstract:voice +abstract:assistants
--
-- within: text (title or abstract) or abstract. Raises IR202 another one, or a word that is none: letters and digits.
CREATE OR REPLACE FUNCTION coverage_query(words text[], within text DEFAULT 'text')
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    wrong text;
BEGIN
    IF coverage_query.within IS NULL OR coverage_query.within NOT IN ('text', 'abstract') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('words within %L', coverage_query.within),
            HINT = 'Within text (title or abstract) or abstract.';
    END IF;
    SELECT u.word INTO wrong FROM unnest(coverage_query.words) u (word)
     WHERE (u.word COLLATE "pg_c_utf8" ~ '^[[:alnum:]]+$') IS NOT TRUE LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is no word', left(wrong, 80)),
            HINT = 'A word is letters and digits.';
    END IF;
    RETURN (SELECT string_agg(CASE coverage_query.within WHEN 'text' THEN '+' ELSE '+abstract:' END || u.word, ' '
                              ORDER BY u.place)
              FROM unnest(coverage_query.words) WITH ORDINALITY u (word, place));
END
$$;
COMMENT ON FUNCTION coverage_query(text[], text) IS
'Words as a typed query that wants all of them, in title or abstract or in abstracts alone';
