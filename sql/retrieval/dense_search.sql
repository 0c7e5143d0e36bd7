-- dense_search: the k documents nearest to a query vector by title, abstract or content (title and abstract as one
-- text); score is the cosine.
--
--   SELECT * FROM dense_search(embed_query('how do voice assistants listen'), 10, 'abstract');
--
-- Documents without a vector of the field (no abstract; stubs) are not found. The search uses the field's index if
-- there is one, and is exact otherwise; filter and effort are those of knn. Ordered by score descending, equal scores
-- by docno descending as bytes.
-- Raises IR105 no such model, IR106 no such field, IR201 k below 1, IR202 no query vector, effort out of range or an
-- invalid filter, IR403 a query vector of another dimension, IR405 no vectors.
CREATE OR REPLACE FUNCTION public.dense_search(
    query vector, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF dense_search.field = 'passage' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106', MESSAGE = 'passage is not a field of documents',
            HINT = 'Use passage_search, which ranks documents by their passages.';
    END IF;
    RETURN QUERY
    SELECT n.doc, 0 - n.distance, n.rank
      FROM knn(l2_normalize(dense_search.query), dense_search.k, dense_search.field,
               (vector_model(dense_search.model)).model, dense_search.filter, dense_search.effort) n;
    IF NOT FOUND THEN
        PERFORM check_vectors(vector_model(dense_search.model), ARRAY[dense_search.field]);
    END IF;
END
$$;
COMMENT ON FUNCTION public.dense_search(vector, integer, text, text, jsonb, integer) IS
'The k documents nearest to a query vector by title, abstract or content, nearest first; score is the cosine';

-- The same for a vector written as a quoted literal; raises IR202 for words.
CREATE OR REPLACE FUNCTION public.dense_search(
    query text, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.score, s.rank
      FROM dense_search(
             typed_vector(dense_search.query, 'dense_search'), dense_search.k, dense_search.field,
             dense_search.model, dense_search.filter, dense_search.effort) s;
END
$$;
COMMENT ON FUNCTION public.dense_search(text, integer, text, text, jsonb, integer) IS
'dense_search for a vector written as a quoted literal; raises IR202 for words, which embed_query converts';
