-- credibility_overview: what credibility is told from, and whether the ranking by citations still holds: one row.
--
--   documents        of the corpus; with_citations: those that say n_citation, cited: that say more than 0;
--                    with_references: that list any
--   to_rank          with n_citation and a plausible year, as it is now
--   ranked           in citation_ranks; in_fields: those compared within a field of study
--   as_of, at_least, ranked_at   of the last rank_citations; NULL before the first, but as_of, which is then the newest
--                                year
--   stale            to_rank is not what was ranked then; NULL before the first. Citations that changed alone are not
--                    seen
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
'What credibility is told from, and whether the ranking by citations still holds';
