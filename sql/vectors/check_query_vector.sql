-- check_query_vector: raise an error if a query's vector cannot be compared with the vectors of a model. Part of knn
-- and passage_search.
-- Raises IR202 no query vector, or one that is not sparse for a sparse model, IR403 a different dimension.
CREATE OR REPLACE FUNCTION check_query_vector(query vector, space vector_models)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF check_query_vector.query IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the query vector is NULL',
            HINT = 'Use embed_query(text) for the vector of a query, or qdblp_v_title(doc) for that of a title.';
    ELSIF (check_query_vector.space).storage = 'sparsevec' THEN
        PERFORM sparse_vector(check_query_vector.query, (check_query_vector.space).dim);
    ELSIF vector_dims(check_query_vector.query) <> (check_query_vector.space).dim THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the query vector has %s, those of %s have %s',
                             counted(vector_dims(check_query_vector.query), 'dimension'),
                             (check_query_vector.space).model, (check_query_vector.space).dim),
            HINT = 'Embed the query with the same model as the documents.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_query_vector(vector, vector_models) IS
'Raise an error if a query vector cannot be compared with the vectors of a model';
