-- document_cosines: the cosine between a query vector and a document's title, abstract and content (title and abstract
-- as one text), one row per field with a vector.
-- Raises IR105 no such model, IR202 no query vector, IR403 a query vector of another dimension.
CREATE OR REPLACE FUNCTION document_cosines(doc bigint, query vector, model text DEFAULT NULL)
RETURNS TABLE (field text, cosine double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(document_cosines.model);
BEGIN
    PERFORM check_query_vector(document_cosines.query, space);
    RETURN QUERY EXECUTE format(
        $sql$SELECT f.field, f.cosine
               FROM %I v, LATERAL (VALUES ('title', 0 - (v.title_v <#> $2)), ('abstract', 0 - (v.abstract_v <#> $2)),
                                          ('content', 0 - (v.content_v <#> $2))) f (field, cosine)
              WHERE v.id = $1 AND f.cosine IS NOT NULL$sql$, space.relation)
    USING document_cosines.doc, l2_normalize(document_cosines.query);
END
$$;
COMMENT ON FUNCTION document_cosines(bigint, vector, text) IS
'Cosine between a query vector and a document''s title, abstract and content, one row per field with a vector';
