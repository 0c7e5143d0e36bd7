-- citation_counts: the citations of each document as its record says, and counted again from the references of the
-- corpus.
--
--   n_citation  as the record says; NULL where it does not
--   counted     other documents of the corpus that list it, each once however often it does
--
-- The corpus is a part of the literature, so counted is at most n_citation where both are right and of one day. One row
-- a document. All references are read whichever document is asked for.
CREATE OR REPLACE VIEW public.citation_counts WITH (security_invoker = true) AS
SELECT f.id, f.n_citation, coalesce(c.counted, 0) AS counted
  FROM dblp_facts f
  LEFT JOIN (SELECT r.target, count(*) AS counted FROM corpus_references r WHERE r.target <> r.doc GROUP BY r.target) c
    ON c.target = f.id;
COMMENT ON VIEW public.citation_counts IS
'Citations of each document as its record says, and as the references of the corpus count them';
COMMENT ON COLUMN public.citation_counts.id IS 'dblp.id of the document';
COMMENT ON COLUMN public.citation_counts.n_citation IS 'citations as the record states them; NULL where it does not';
COMMENT ON COLUMN public.citation_counts.counted IS 'other documents of the corpus that list it';
