-- documents: the corpus, one row per document, without stubs (documents named only by a run or a judgment).
CREATE OR REPLACE VIEW public.documents WITH (security_invoker = true) AS
SELECT d.id AS doc, d.docno, t.title, t.abstract, f.year, f.venue, f.doc_type, f.n_citation, f.n_reference,
       f.licence, f.data_source
  FROM dblp d
  LEFT JOIN dblp_text t ON t.id = d.id
  LEFT JOIN dblp_facts f ON f.id = d.id
 WHERE NOT d.stub;
COMMENT ON VIEW public.documents IS 'Documents of the corpus with title, abstract, year and venue; without stubs';
COMMENT ON COLUMN public.documents.doc IS 'dblp.id of the document; joins with rankings.doc and judgments.doc';
COMMENT ON COLUMN public.documents.docno IS 'name of the document in files and other systems';
COMMENT ON COLUMN public.documents.title IS 'title';
COMMENT ON COLUMN public.documents.abstract IS 'abstract';
COMMENT ON COLUMN public.documents.year IS 'year of publication as in the record; NULL if missing';
COMMENT ON COLUMN public.documents.venue IS 'journal or conference';
COMMENT ON COLUMN public.documents.doc_type IS 'kind of publication: Journal, Conference, …';
COMMENT ON COLUMN public.documents.n_citation IS 'number of citations received, as in the record; NULL if missing';
COMMENT ON COLUMN public.documents.n_reference IS 'number of references listed';
COMMENT ON COLUMN public.documents.licence IS 'licence that the record states, in one spelling: cc-by; NULL: none';
COMMENT ON COLUMN public.documents.data_source IS
'format of the file that the record comes from, or name of its data set; NULL: unknown';
