-- citation_counts: the number of citations of each document in its record, and counted from the references in the
-- corpus, one row per document.
--
--   n_citation  as in the record; NULL if missing
--   counted     number of other documents of the corpus that list it
--
-- The corpus contains only part of the literature, so counted is at most n_citation if both are correct and of the same
-- date. The view reads all references, even for a single document.
CREATE OR REPLACE VIEW public.citation_counts WITH (security_invoker = true) AS
SELECT f.id, f.n_citation, coalesce(c.counted, 0) AS counted
  FROM dblp_facts f
  LEFT JOIN (SELECT r.target, count(*) AS counted FROM corpus_references r WHERE r.target <> r.doc GROUP BY r.target) c
    ON c.target = f.id;
COMMENT ON VIEW public.citation_counts IS
'Citations of each document as in its record, and counted from the references in the corpus';
COMMENT ON COLUMN public.citation_counts.id IS 'dblp.id of the document';
COMMENT ON COLUMN public.citation_counts.n_citation IS 'number of citations as in the record; NULL if missing';
COMMENT ON COLUMN public.citation_counts.counted IS 'number of other documents of the corpus that list it';
