-- embed_query: the vector of a query text by a model, as remembered in query_v. The text is taken to the letter.
-- Raises IR105 no such model, IR405 the text has not been embedded yet.
CREATE OR REPLACE FUNCTION embed_query(query text, model text DEFAULT NULL)
RETURNS vector
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(embed_query.model);
    remembered vector;
BEGIN
    SELECT q.v INTO remembered FROM query_v q
     WHERE q.model = space.model AND q.text = embed_query.query COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there is no vector of the query %L by %s', left(embed_query.query, 80), space.model),
            HINT = 'The queries of the topics get theirs by ''stc vectors embed''.';
    END IF;
    RETURN remembered;
END
$$;
COMMENT ON FUNCTION embed_query(text, text) IS 'The remembered vector of a query text by a model';
