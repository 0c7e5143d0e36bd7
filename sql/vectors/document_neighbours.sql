-- document_neighbours: the k documents nearest to a document by title, abstract or content, without the document
-- itself; score is the cosine.
--
--   SELECT rank, score, title FROM document_neighbours(123, 5, 'abstract') JOIN dblp_text ON id = doc ORDER BY rank;
--
-- filter and effort are those of knn. Ordered by score descending, equal scores by docno descending as bytes.
-- Raises IR104 no such document, IR405 it has no vector of the field, IR106 an invalid field, and the errors of knn.
CREATE OR REPLACE FUNCTION public.document_neighbours(
    source bigint, k integer DEFAULT 10, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(document_neighbours.model);
    own vector;
BEGIN
    IF document_neighbours.field = 'passage' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106', MESSAGE = 'passage is not a field of documents',
            HINT = 'The fields are title, abstract and content.';
    ELSIF document_neighbours.k IS NULL OR document_neighbours.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(document_neighbours.k::text, 'NULL')), HINT = 'k must be 1 or more.';
    END IF;
    EXECUTE format('SELECT v.%I::vector FROM %I v WHERE v.id = $1', vector_column(document_neighbours.field),
                   space.relation)
       INTO own USING document_neighbours.source;
    IF own IS NULL AND NOT EXISTS (SELECT 1 FROM dblp d WHERE d.id = document_neighbours.source) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR104',
            MESSAGE = format('there is no document %s', coalesce(document_neighbours.source::text, 'NULL')),
            HINT = 'Pass the dblp.id of a document.';
    ELSIF own IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('document %s has no %s vector of %s', document_neighbours.source,
                             document_neighbours.field, space.model),
            HINT = format('Use another field, or embed this one with ''stc vectors embed --field %s''.',
                          document_neighbours.field);
    END IF;
    RETURN QUERY
    SELECT n.doc, 0 - n.distance, (row_number() OVER (ORDER BY n.rank))::integer
      FROM knn(own, least(document_neighbours.k, 2147483646) + 1, document_neighbours.field, space.model,
               document_neighbours.filter,
               document_neighbours.effort) n
     WHERE n.doc <> document_neighbours.source
     ORDER BY n.rank LIMIT document_neighbours.k;
END
$$;
COMMENT ON FUNCTION public.document_neighbours(bigint, integer, text, text, jsonb, integer) IS
'The k documents nearest to a document by title, abstract or content, nearest first, without itself; score is the '
'cosine';
