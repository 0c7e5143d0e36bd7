-- dblp_citations: the references of the documents, one row per reference, as a relation between documents:
-- JOIN dblp c ON c.id = cited. PostgreSQL omits the look-up of ids if a statement does not use cited.
--
--   doc          dblp.id of the citing document
--   cited        dblp.id of the cited document; NULL if the collection does not have it
--   cited_docno  docno of the cited document
CREATE OR REPLACE VIEW public.dblp_citations WITH (security_invoker = true) AS
SELECT r.doc, c.id AS cited, r.docno AS cited_docno
  FROM listed_references r
  LEFT JOIN dblp c ON c.docno = r.docno;
COMMENT ON VIEW public.dblp_citations IS
'References of the documents, one row per reference; the cited document may be missing from the corpus';
COMMENT ON COLUMN public.dblp_citations.doc IS 'dblp.id of the citing document';
COMMENT ON COLUMN public.dblp_citations.cited IS
'dblp.id of the cited document; NULL if the collection does not have it';
COMMENT ON COLUMN public.dblp_citations.cited_docno IS
'docno of the cited document, which may be missing from the corpus';
