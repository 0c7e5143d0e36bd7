-- annotated_documents: the values of measures for the documents graded for an aspect, one row per document.
--
-- The values are in the order of measures, which annotation_measures has checked. NULL if the document has no value or
-- one that is not a number.
CREATE OR REPLACE FUNCTION annotated_documents(aspect text, measures text[])
RETURNS TABLE (doc bigint, told double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH graded AS MATERIALIZED (SELECT DISTINCT a.doc FROM annotations a WHERE a.aspect = annotated_documents.aspect),
    said AS MATERIALIZED (
        SELECT g.doc, to_jsonb(m) AS facts FROM graded g LEFT JOIN document_measures m ON m.id = g.doc)
    SELECT s.doc, ARRAY(SELECT CASE WHEN jsonb_typeof(s.facts -> n.name) = 'number'
                                    THEN (s.facts ->> n.name)::double precision END
                          FROM unnest(annotated_documents.measures) WITH ORDINALITY AS n (name, at) ORDER BY n.at)
      FROM said s;
END
$$;
COMMENT ON FUNCTION annotated_documents(text, text[]) IS
'Values of measures for the documents graded for an aspect, one row per document';
