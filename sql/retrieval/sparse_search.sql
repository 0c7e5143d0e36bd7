-- sparse_search: the k documents with the highest inner products of their sparse vectors with that of a query: learned
-- sparse retrieval, such as SPLADE (Formal, Piwowarski & Clinchant, SIGIR 2021).
--
--   score(d) = sum over terms t of  weight(t, query) · weight(t, d)
--
--   SELECT * FROM sparse_search(embed_query('how do voice assistants listen', 'splade'), 10, 'splade');
--
-- query: the vector of the query by the model, as pairs (sparse_vector). model: short name; NULL is the first sparse
-- model of the collection. field: content (title and abstract as one text), title or abstract.
--
-- The scores are those of pgvector's <#> in single precision, from the stored weights. Without an index, or with
-- effort => 0, all vectors are compared, which is exact; with an index (index_vectors) the first k may lack some.
-- Documents without a common term have a score of 0 and are not returned. filter, effort and ties are those of knn.
-- Raises IR105 no such model, IR106 no such field, IR201 k below 1, IR202 no query vector, one of another kind of
-- model, or an invalid filter, IR405 no vectors.
CREATE OR REPLACE FUNCTION sparse_search(
    query vector, k integer DEFAULT 100, model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    field text DEFAULT 'content', effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space CONSTANT vector_models := vector_model(sparse_search.model, sparse => true);
BEGIN
    RETURN QUERY
    SELECT n.doc, -n.distance, n.rank
      FROM knn_among(sparse_search.query, sparse_search.k, sparse_search.field, space.model, sparse_search.filter,
                     sparse_search.effort) n;
    IF NOT FOUND THEN
        PERFORM check_vectors(space, ARRAY[sparse_search.field]);
    END IF;
END
$$;
COMMENT ON FUNCTION sparse_search(vector, integer, text, jsonb, text, integer) IS
'The k documents with the highest inner products of sparse vectors with a query''s, best first';
