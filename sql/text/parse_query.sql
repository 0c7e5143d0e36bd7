-- parse_query: a query as people type it as a tsquery, by the text search configuration of the text index. Anything is a query.
CREATE OR REPLACE FUNCTION parse_query(query text)
RETURNS tsquery
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
SET client_min_messages = warning  -- "contains only stop words" is nothing to tell
AS $$
BEGIN
    RETURN websearch_to_tsquery(coalesce((SELECT i.config FROM text_index i), 'english'), tidy_query(parse_query.query));
END
$$;
COMMENT ON FUNCTION parse_query(text) IS 'A typed query as a tsquery of the text index''s configuration';
