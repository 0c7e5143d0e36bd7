-- query_marks: what of a typed query is to be marked in a text: any of its words, and words that begin as its prefixes
-- do; not what stands behind a minus. As a tsquery of the text index's configuration; NULL where the query names no
-- word.
CREATE OR REPLACE FUNCTION query_marks(query text)
RETURNS tsquery
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
SET client_min_messages = warning  -- "contains only stop words" is nothing to tell
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    -- What an index can look up, so nothing that is negated; T where that is no part of the query.
    positive CONSTANT text := nullif(nullif(querytree(parse_query(query_marks.query)), ''), 'T');
    marks tsquery := nullif(coalesce(positive, '')::tsquery, ''::tsquery);
    word tsquery;
BEGIN
    FOR word IN SELECT w.term FROM query_words(config, scored_words(query_marks.query)) w LOOP
        marks := coalesce(marks || word, word);
    END LOOP;
    RETURN marks;
END
$$;
COMMENT ON FUNCTION query_marks(text) IS
'What of a typed query is to be marked in a text, as a tsquery; NULL for nothing';
