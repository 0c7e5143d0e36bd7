-- annotated_documents: what the measures say of the documents that were graded for an aspect: one row a document, values in the order of
-- measures, which annotation_measures has checked. NULL where the document has no such value, or one that is no number.
CREATE OR REPLACE FUNCTION annotated_documents(aspect text, measures text[])
RETURNS TABLE (doc bigint, told double precision[])
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    newest integer := extract(year FROM now())::integer + 1;  -- records have years that none can be of: 0, 20155
    as_of integer := coalesce((SELECT b.as_of FROM credibility_basis b),
                              (SELECT max(f.year) FROM dblp_facts f WHERE f.year BETWEEN 1000 AND newest));
BEGIN
    RETURN QUERY
    WITH graded AS MATERIALIZED (SELECT DISTINCT a.doc FROM annotations a WHERE a.aspect = annotated_documents.aspect),
    said AS MATERIALIZED (
        SELECT g.doc, jsonb_build_object(
                   'citations', f.n_citation, 'references', f.n_reference, 'percentile', r.percentile,
                   'citations_per_year',
                   CASE WHEN f.year BETWEEN 1000 AND newest THEN f.n_citation::double precision / (greatest(as_of - f.year, 0) + 1) END)
               || coalesce(to_jsonb(m), '{}') AS facts
          FROM graded g
          LEFT JOIN dblp_facts f ON f.id = g.doc
          LEFT JOIN citation_ranks r ON r.id = g.doc
          LEFT JOIN st1_complexity_metrics m ON m.id = g.doc)
    SELECT s.doc, ARRAY(SELECT CASE WHEN jsonb_typeof(s.facts -> n.name) = 'number' THEN (s.facts ->> n.name)::double precision END
                          FROM unnest(annotated_documents.measures) WITH ORDINALITY AS n (name, at) ORDER BY n.at)
      FROM said s;
END
$$;
COMMENT ON FUNCTION annotated_documents(text, text[]) IS 'What the measures say of the documents graded for an aspect, one row a document';
