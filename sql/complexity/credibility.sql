-- credibility: indicators of credibility from each document's record, one row per document without stubs: citations,
-- references, venue, age, and its rank among similar documents.
--
--   year                as in the record; a filter on it uses an index
--   age                 as_of - year (credibility_as_of), at least 0; NULL without a plausible year
--   n_citation          number of citations received, as in the record (citation_counts counts them again)
--   n_reference         number of references listed; NULL if the record has none
--   citations_per_year  n_citation / (age + 1)
--   by_year, by_field   percentile of its citations within its year, and within its year and fields (rank_citations)
--   percentile          by_field, else by_year; all three are NULL until stc complexity credibility has run
--   fields              number of fields of study averaged in by_field
--
-- Filters on id, docno, year, n_citation, n_reference and percentile use an index.
CREATE OR REPLACE VIEW public.credibility WITH (security_invoker = true) AS
SELECT f.id, d.docno, f.year, f.age, f.venue, f.doc_type, f.n_citation, f.n_reference,
       f.n_citation / (f.age + 1)::double precision AS citations_per_year,
       r.by_year, r.by_field, r.percentile, coalesce(r.fields, 0) AS fields
  FROM (SELECT g.*,
               CASE WHEN plausible_year(g.year) IS NOT NULL THEN greatest(b.as_of - g.year, 0) END AS age
          FROM dblp_facts g
         CROSS JOIN (SELECT coalesce(max(c.as_of), credibility_as_of()) AS as_of FROM credibility_basis c) b) f
  JOIN dblp d ON d.id = f.id
  LEFT JOIN citation_ranks r ON r.id = f.id;
COMMENT ON VIEW public.credibility IS
'Indicators of credibility: citations, references, venue, age, citations per year, percentile within year and fields';
COMMENT ON COLUMN public.credibility.id IS 'dblp.id of the document';
COMMENT ON COLUMN public.credibility.docno IS 'name of the document in files and other systems';
COMMENT ON COLUMN public.credibility.year IS 'year of publication as in the record; NULL if missing';
COMMENT ON COLUMN public.credibility.age IS 'years since publication; NULL without a plausible year';
COMMENT ON COLUMN public.credibility.venue IS 'journal or conference';
COMMENT ON COLUMN public.credibility.doc_type IS 'kind of publication: Journal, Conference, …';
COMMENT ON COLUMN public.credibility.n_citation IS 'number of citations received, as in the record; NULL if missing';
COMMENT ON COLUMN public.credibility.n_reference IS 'number of references listed; NULL if the record has none';
COMMENT ON COLUMN public.credibility.citations_per_year IS 'n_citation / (age + 1)';
COMMENT ON COLUMN public.credibility.by_year IS 'percentile of its citations among documents of its year, 0 to 100';
COMMENT ON COLUMN public.credibility.by_field IS
'percentile of its citations among documents of its year and fields, 0 to 100; NULL without fields';
COMMENT ON COLUMN public.credibility.percentile IS 'by_field, or by_year if by_field is NULL';
COMMENT ON COLUMN public.credibility.fields IS 'number of fields of study averaged in by_field';
