-- query_marks: the words of a typed query to mark in a text, as a tsquery of the text index's configuration: its words
-- and words that start with its prefixes, without those after a minus. NULL if the query has no words.
CREATE OR REPLACE FUNCTION query_marks(query text)
RETURNS tsquery
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    -- The part an index can look up, which excludes negations; T if nothing is left.
    positive CONSTANT text := nullif(nullif(querytree(parse_query(query_marks.query)), ''), 'T');
    marks tsquery := nullif(coalesce(positive, '')::tsquery, ''::tsquery);
    word tsquery;
BEGIN
    FOR word IN SELECT w.term FROM query_words(config, bm25_query(query_marks.query)) w LOOP
        marks := coalesce(marks || word, word);
    END LOOP;
    RETURN marks;
END
$$;
COMMENT ON FUNCTION query_marks(text) IS
'Words of a typed query to mark in a text, as a tsquery; NULL if it has none';
