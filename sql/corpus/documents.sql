-- documents: the corpus, one row a document; stubs, which only a run or a judgment names, are left out.
CREATE OR REPLACE VIEW public.documents WITH (security_invoker = true) AS
SELECT d.id AS doc, d.docno, t.title, t.abstract, f.year, f.venue, f.doc_type, f.n_citation, f.n_reference
  FROM dblp d
  LEFT JOIN dblp_text t ON t.id = d.id
  LEFT JOIN dblp_facts f ON f.id = d.id
 WHERE NOT d.stub;
COMMENT ON VIEW public.documents IS 'The documents of the corpus with title, abstract, year and venue; without stubs';
COMMENT ON COLUMN public.documents.doc IS 'dblp.id of the document; joins with rankings.doc and judgments.doc';
COMMENT ON COLUMN public.documents.docno IS 'name of the document outside the database';
COMMENT ON COLUMN public.documents.title IS 'title';
COMMENT ON COLUMN public.documents.abstract IS 'abstract';
COMMENT ON COLUMN public.documents.year IS 'year of publication as the record states it';
COMMENT ON COLUMN public.documents.venue IS 'journal or conference';
COMMENT ON COLUMN public.documents.doc_type IS 'kind of publication: Journal, Conference, …';
COMMENT ON COLUMN public.documents.n_citation IS 'citations received, as the record states them';
COMMENT ON COLUMN public.documents.n_reference IS 'references listed';
