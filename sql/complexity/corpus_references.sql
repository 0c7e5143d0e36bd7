-- corpus_references: what the corpus itself says of citations: one row a document and a docno that it lists.
--
--   doc     dblp.id of the citing document
--   cited   the docno that it lists
--   target  dblp.id of the document of that name; NULL where the corpus has none (a stub is none)
--   times   how often it lists it
CREATE OR REPLACE VIEW public.corpus_references WITH (security_invoker = true) AS
SELECT r.doc, r.cited, t.id AS target, r.times
  FROM (SELECT c.doc, c.cited, count(*) AS times FROM dblp_citations c GROUP BY c.doc, c.cited) r
  LEFT JOIN dblp t ON t.docno = r.cited AND NOT t.stub;
COMMENT ON VIEW public.corpus_references IS
'One row a document and a docno that it lists, with the document of that name and how often';
COMMENT ON COLUMN public.corpus_references.doc IS 'dblp.id of the citing document';
COMMENT ON COLUMN public.corpus_references.cited IS 'docno of the cited document';
COMMENT ON COLUMN public.corpus_references.target IS 'dblp.id of the cited document; NULL if it is not in the corpus';
COMMENT ON COLUMN public.corpus_references.times IS 'how often the citing document lists it';
