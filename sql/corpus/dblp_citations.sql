-- dblp_citations: the references of the documents, one row per reference.
--
--   doc    dblp.id of the citing document
--   cited  docno of the cited document, which may be missing from the corpus: JOIN dblp c ON c.docno = cited
CREATE OR REPLACE VIEW public.dblp_citations WITH (security_invoker = true) AS
SELECT d.id AS doc, r.cited COLLATE "C" AS cited
  FROM dblp d
 CROSS JOIN LATERAL jsonb_array_elements_text(
       CASE jsonb_typeof(d.doc -> 'references') WHEN 'array' THEN d.doc -> 'references' END) AS r (cited)
 WHERE NOT d.stub AND r.cited IS NOT NULL;
COMMENT ON VIEW public.dblp_citations IS
'References of the documents, one row per reference; the cited document may be missing from the corpus';
COMMENT ON COLUMN public.dblp_citations.doc IS 'dblp.id of the citing document';
COMMENT ON COLUMN public.dblp_citations.cited IS 'docno of the cited document, which may be missing from the corpus';
