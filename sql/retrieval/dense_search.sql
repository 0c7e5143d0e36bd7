-- dense_search: the k documents whose title or abstract is nearest to a query's vector; score is the cosine.
--
--   SELECT * FROM dense_search(embed_query('how do voice assistants listen'), 10, 'abstract');
--
-- Documents without the field's vector (no abstract; stubs) are not found. By the ivfflat index and its recorded probes, or those
-- given, where there is one, exact otherwise: see knn. Score descending, equal scores by docno descending as bytes.
-- Raises IR105 no such model, IR106 no such field, IR201 k below 1, IR202 no query or probes out of range, IR403 a query of another
-- dimension, IR405 no vectors.
CREATE OR REPLACE FUNCTION dense_search(
    query vector, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, probes integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT n.doc, 0 - n.distance, n.rank
      FROM knn(l2_normalize(dense_search.query), dense_search.k, dense_search.field, dense_search.model, dense_search.probes) n;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there are no %s vectors of %s', dense_search.field, (vector_model(dense_search.model)).model),
            HINT = '''stc vectors embed'' makes them.';
    END IF;
END
$$;
COMMENT ON FUNCTION dense_search(vector, integer, text, text, integer) IS
'The k documents whose titles (or abstracts) are nearest to a query vector; score is the cosine';
