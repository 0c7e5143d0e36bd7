-- corpus_references: the references between documents of the corpus, one row per document and docno that it lists.
--
--   doc     dblp.id of the citing document
--   cited   docno that it lists
--   target  dblp.id of the cited document; NULL if it is not in the corpus or a stub
--   times   number of times the document lists it
--
-- The alias names dblp_citations, which this view read before: an upgrade that replaces dblp_citations replaces the
-- files that name it.
CREATE OR REPLACE VIEW public.corpus_references WITH (security_invoker = true) AS
SELECT r.doc, r.cited, t.id AS target, r.times
  FROM (SELECT dblp_citations.doc, dblp_citations.docno AS cited, count(*) AS times
          FROM listed_references AS dblp_citations GROUP BY 1, 2) r
  LEFT JOIN dblp t ON t.docno = r.cited AND NOT t.stub;
COMMENT ON VIEW public.corpus_references IS
'References of the documents, one row per document and cited docno, with the cited document and a count';
COMMENT ON COLUMN public.corpus_references.doc IS 'dblp.id of the citing document';
COMMENT ON COLUMN public.corpus_references.cited IS 'docno of the cited document';
COMMENT ON COLUMN public.corpus_references.target IS 'dblp.id of the cited document; NULL if it is not in the corpus';
COMMENT ON COLUMN public.corpus_references.times IS 'number of times the citing document lists it';
