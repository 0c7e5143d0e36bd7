-- document_sources: the records of documents as loaded, with title and abstract as text. indexed_abstract (the abstract
-- as an inverted index) is omitted. Unknown documents have no row; a stub has the record it was created with.
--
-- licences: as check_licences returns them. Documents with another licence have no text, but their title and those
-- fields of the record that a bibliography lists. NULL: all documents have their whole record.
CREATE OR REPLACE FUNCTION document_sources(docs bigint[], licences text[] DEFAULT NULL)
RETURNS TABLE (doc bigint, docno text, source jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT b.id, b.docno,
           jsonb_build_object('id', b.docno)
           || CASE WHEN l.licensed THEN b.doc - 'indexed_abstract'
                   ELSE (SELECT coalesce(jsonb_object_agg(k.key, b.doc -> k.key), '{}')
                           FROM unnest('{authors,year,venue,doc_type,n_citation,references,volume,issue,page_start,'
                                       'page_end,publisher,doi,url,license,licence}'::text[]) AS k (key)
                          WHERE b.doc ? k.key) END
           || jsonb_strip_nulls(jsonb_build_object('title', t.title, 'abstract',
                                                   CASE WHEN l.licensed THEN t.abstract END))
      FROM dblp b
      LEFT JOIN dblp_text t ON t.id = b.id
     CROSS JOIN LATERAL (SELECT document_sources.licences IS NULL
                                OR has_licence(b.docno, document_sources.licences)) AS l (licensed)
     WHERE b.id = ANY (document_sources.docs)
$$;
COMMENT ON FUNCTION document_sources(bigint[], text[]) IS
'Records of documents as loaded, with title and abstract as text, or without text for those of other licences';
