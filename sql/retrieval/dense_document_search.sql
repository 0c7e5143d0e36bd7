-- dense_document_search: the k documents nearest to a query vector by their abstract, or by their title if they have no
-- abstract; score is the cosine. It merges the first k of both fields (see knn).
--
-- Ordered by score descending, equal scores by docno descending as bytes.
-- filter is that of knn. Raises IR105 no such model, IR201 k below 1, IR202 no query vector or an invalid filter, IR403
-- a query vector of another dimension, IR405 no vectors.
CREATE OR REPLACE FUNCTION dense_document_search(
    query vector, k integer DEFAULT 100, model text DEFAULT NULL, filter jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(dense_document_search.model);
BEGIN
    IF dense_document_search.k IS NULL OR dense_document_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(dense_document_search.k::text, 'NULL')), HINT = 'k must be 1 or more.';
    END IF;
    RETURN QUERY EXECUTE format(
        -- Only tied documents need their docno.
        $sql$SELECT t.doc, 0 - t.distance, row_number() OVER (ORDER BY t.distance, t.tied DESC)::integer
               FROM (SELECT f.doc, f.distance,
                            CASE WHEN f.distance IN (lag(f.distance) OVER w, lead(f.distance) OVER w)
                                 THEN (SELECT d.docno FROM dblp d WHERE d.id = f.doc) END AS tied
                       FROM (SELECT a.doc, a.distance FROM knn($1, $2, 'abstract', $3, $4) a
                             UNION ALL
                             SELECT t.doc, t.distance FROM knn($1, $2, 'title', $3, $4) t JOIN %I v ON v.id = t.doc
                              WHERE v.abstract_v IS NULL) f
                     WINDOW w AS (ORDER BY f.distance)) t
              ORDER BY 3 LIMIT $2$sql$, space.relation)
    USING l2_normalize(dense_document_search.query), dense_document_search.k, space.model, dense_document_search.filter;
    IF NOT FOUND AND vectors_missing(space, 'abstract') AND vectors_missing(space, 'title') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('there are no vectors of %s', space.model),
            HINT = 'Compute them with ''stc vectors embed''.';
    END IF;
END
$$;
COMMENT ON FUNCTION dense_document_search(vector, integer, text, jsonb) IS
'The k documents nearest to a query vector by abstract, or by title if they have no abstract; score is the cosine';
