-- credibility_overview: the number of documents with data about credibility, and whether the ranking by citations is
-- current, as one row.
--
--   documents        number of documents; with_citations: those with n_citation, cited: with n_citation above 0,
--                    with_references: with at least one reference
--   to_rank          number of documents with n_citation and a plausible year, now
--   ranked           number of documents in citation_ranks; in_fields: those compared within a field of study
--   as_of, at_least, ranked_at   of the last rank_citations; NULL before the first, except as_of, which is then the
--                                latest year of the corpus
--   stale            true: to_rank differs from the number ranked; NULL before the first ranking. A change of citations
--                    alone is not detected
CREATE OR REPLACE VIEW credibility_overview WITH (security_invoker = true) AS
SELECT f.documents, f.with_citations, f.cited, f.with_references, f.to_rank, r.ranked, r.in_fields,
       credibility_as_of() AS as_of, b.least AS at_least, b.ranked AS ranked_at, f.to_rank <> b.documents AS stale
  FROM (SELECT count(*) AS documents, count(f.n_citation) AS with_citations,
               count(*) FILTER (WHERE f.n_citation > 0) AS cited,
               count(*) FILTER (WHERE f.n_reference > 0) AS with_references,
               count(f.n_citation) FILTER (WHERE plausible_year(f.year) IS NOT NULL) AS to_rank
          FROM dblp_facts f) f
 CROSS JOIN (SELECT count(*) AS ranked, count(r.by_field) AS in_fields FROM citation_ranks r) r
  LEFT JOIN credibility_basis b ON true;
COMMENT ON VIEW credibility_overview IS
'Number of documents with data about credibility, and whether the ranking by citations is current';
