-- corpus_status: the number of documents, documents with an abstract, distinct authors (by id, or by name without id)
-- and citations (references of all documents), as in the description of the collection. Stubs are not counted.
CREATE OR REPLACE FUNCTION corpus_status()
RETURNS TABLE (what text, count bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT 'documents', count(*) FROM dblp d WHERE NOT d.stub;
    RETURN QUERY SELECT 'abstracts', count(*) FROM dblp_text t JOIN dblp d ON d.id = t.id
        WHERE NOT d.stub AND t.abstract IS NOT NULL;
    RETURN QUERY SELECT 'authors', count(*)
      FROM (SELECT DISTINCT a.author, CASE WHEN a.author IS NULL THEN a.name END FROM dblp_authors a) a;
    RETURN QUERY SELECT 'citations', count(*) FROM listed_references r;
END
$$;
COMMENT ON FUNCTION corpus_status() IS
'Number of documents, abstracts, distinct authors and citations of the corpus, in this order, without stubs';
