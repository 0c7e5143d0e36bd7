-- edition_overview: one row an edition, with what it says: judged queries and documents, and how many judgments by grade and by origin.
-- One judgment per query and document, as the view qrels has them; rows counts all that are stored.
CREATE OR REPLACE VIEW edition_overview WITH (security_invoker = true) AS
SELECT e.edition, e.description, coalesce(s.queries, 0) AS queries, coalesce(s.judgments, 0) AS judgments,
       coalesce(g.grades, '{}') AS grades, coalesce(o.origins, '{}') AS origins,
       (SELECT count(*) FROM qrels_judgments j WHERE j.edition = e.id) AS rows, e.made
  FROM qrels_editions e
  LEFT JOIN LATERAL (SELECT count(DISTINCT j.query) AS queries, count(*) AS judgments FROM qrels j WHERE j.edition = e.id) s ON true
  LEFT JOIN LATERAL (SELECT jsonb_object_agg(rel, n) AS grades
                       FROM (SELECT j.rel, count(*) AS n FROM qrels j WHERE j.edition = e.id GROUP BY j.rel) c) g ON true
  LEFT JOIN LATERAL (SELECT jsonb_object_agg(origin, n) AS origins
                       FROM (SELECT j.origin, count(*) AS n FROM qrels j WHERE j.edition = e.id GROUP BY j.origin) c) o ON true;
COMMENT ON VIEW edition_overview IS 'The editions of the judgments and what they say: queries, judgments, by grade and by origin';
