-- check_query_vector: whether a query's vector is one that those of a model can be compared with; part of knn and
-- passage_search.
-- Raises IR202 no query, IR403 another dimension.
CREATE OR REPLACE FUNCTION check_query_vector(query vector, space vector_models)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF check_query_vector.query IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the query vector is NULL',
            HINT = 'embed_query(text) gives the vector of a query, qdblp_v_title(doc) that of a title.';
    ELSIF vector_dims(check_query_vector.query) <> (check_query_vector.space).dim THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the query vector has %s dimensions, those of %s have %s',
                             vector_dims(check_query_vector.query),
                             (check_query_vector.space).model, (check_query_vector.space).dim),
            HINT = 'Embed the query by the model of the documents.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_query_vector(vector, vector_models) IS
'Raise unless a query''s vector fits to those of a model';
