-- document_sources: the records of documents as loaded, with title and abstract as text. indexed_abstract (the abstract
-- as an inverted index) is omitted. Unknown documents have no row; a stub has the record it was created with.
CREATE OR REPLACE FUNCTION document_sources(docs bigint[])
RETURNS TABLE (doc bigint, docno text, source jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc, public, pg_temp
AS $$
    SELECT b.id, b.docno,
           jsonb_build_object('id', b.docno) || (b.doc - 'indexed_abstract')
           || jsonb_strip_nulls(jsonb_build_object('title', t.title, 'abstract', t.abstract))
      FROM dblp b LEFT JOIN dblp_text t ON t.id = b.id
     WHERE b.id = ANY (document_sources.docs)
$$;
COMMENT ON FUNCTION document_sources(bigint[]) IS 'Records of documents as loaded, with title and abstract as text';
