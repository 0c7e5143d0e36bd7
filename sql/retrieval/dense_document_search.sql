-- dense_document_search: the k documents nearest to a query vector by their abstract, or by their title if they have no
-- abstract; score is the cosine. It merges the first k abstracts and the first k titles of documents without abstract
-- (title_only in knn_among). Titles are not searched if an index of vectors exists (index_vectors) and every document
-- with a title's vector has one of its abstract.
--
-- Ordered by score descending, equal scores by docno descending as bytes.
-- filter is that of knn, matching that of knn_among.
-- Raises IR105 no such model, IR201 k below 1, IR202 no query vector or an invalid filter, IR403 a query vector of
-- another dimension, IR405 no vectors.
CREATE OR REPLACE FUNCTION dense_document_search(
    query vector, k integer DEFAULT 100, model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    matching bigint[] DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(dense_document_search.model);
    by_title boolean := true;  -- false: no document has only a title
    docs bigint[];
    distances double precision[];
    equal bigint[];
    names text[];
BEGIN
    IF dense_document_search.k IS NULL OR dense_document_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(dense_document_search.k::text, 'NULL')), HINT = 'k must be 1 or more.';
    END IF;
    IF to_regclass(quote_ident(space.relation || '_title_only')) IS NOT NULL THEN
        EXECUTE format('SELECT true FROM %I WHERE %s LIMIT 1', space.relation, vector_rows('title_only')) INTO by_title;
        by_title := coalesce(by_title, false);
    END IF;
    IF by_title THEN
        SELECT array_agg(n.doc), array_agg(n.distance) INTO docs, distances
          FROM knn_among(l2_normalize(dense_document_search.query), dense_document_search.k, 'title_only', space.model,
                         dense_document_search.filter, matching => dense_document_search.matching) n;
    END IF;
    SELECT array_agg(f.doc ORDER BY f.distance), array_agg(f.distance ORDER BY f.distance) INTO docs, distances
      FROM (SELECT a.doc, a.distance
              FROM knn_among(l2_normalize(dense_document_search.query), dense_document_search.k, 'abstract',
                             space.model, dense_document_search.filter,
                             matching => dense_document_search.matching) a
            UNION ALL
            SELECT u.doc, u.distance FROM unnest(docs, distances) u (doc, distance)) f;
    -- Only tied documents need their docno.
    equal := ARRAY(SELECT u.doc FROM unnest(docs, distances) WITH ORDINALITY u (doc, distance, place)
                    WHERE u.distance IN (distances[u.place - 1], distances[u.place + 1]));
    IF equal <> '{}' THEN
        names := docnos(equal);
    END IF;
    RETURN QUERY
    SELECT u.doc, 0 - u.distance, row_number() OVER (ORDER BY u.distance, t.docno COLLATE "C" DESC)::integer
      FROM unnest(docs, distances) u (doc, distance) LEFT JOIN unnest(equal, names) t (id, docno) ON t.id = u.doc
     ORDER BY 3 LIMIT dense_document_search.k;
    IF NOT FOUND THEN
        PERFORM check_vectors(space, '{abstract,title}');
    END IF;
END
$$;
COMMENT ON FUNCTION dense_document_search(vector, integer, text, jsonb, bigint[]) IS
'The k documents nearest to a query vector by abstract, or by title if they have no abstract; score is the cosine';
