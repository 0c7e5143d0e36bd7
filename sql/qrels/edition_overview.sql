-- edition_overview: one row an edition, with what it says: judged queries and documents, and how many judgments by
-- grade and by origin. Who may not see an edition that is hidden has no row of it.
-- One judgment per query and document, as the view qrels has them; rows counts all that are stored. A grade that only
-- other rows have, as of a second annotator, is among the grades with 0.
CREATE OR REPLACE VIEW public.edition_overview WITH (security_invoker = true) AS
SELECT e.edition, e.description, s.queries, s.judgments::bigint, s.grades, s.origins,
       (SELECT count(*) FROM qrels_judgments j WHERE j.edition = e.id) AS rows, e.made,
       e.split, e.year, e.scale, e.sealed, e.fingerprint, e.hidden, e.released, e.simulated
  FROM qrels_editions e
 CROSS JOIN LATERAL (
    WITH said AS MATERIALIZED (
        SELECT j.query, j.rel, j.origin, count(*) AS n FROM qrels j WHERE j.edition = e.id
         GROUP BY j.query, j.rel, j.origin)
    SELECT (SELECT count(DISTINCT query) FROM said) AS queries,
           (SELECT coalesce(sum(n), 0) FROM said) AS judgments,
           (SELECT coalesce(jsonb_object_agg(g.rel, g.n), '{}')
              FROM (SELECT a.rel, sum(a.n) AS n
                      FROM (SELECT said.rel, said.n FROM said
                             UNION ALL
                            SELECT DISTINCT j.rel, 0 FROM qrels_judgments j WHERE j.edition = e.id) a
                     GROUP BY a.rel) g) AS grades,
           (SELECT coalesce(jsonb_object_agg(o.origin, o.n), '{}')
              FROM (SELECT origin, sum(n) AS n FROM said GROUP BY origin) o) AS origins
    ) s;
COMMENT ON VIEW public.edition_overview IS
'The editions of the judgments and what they say: queries, judgments, by grade and by origin';
COMMENT ON COLUMN public.edition_overview.edition IS 'name of the edition';
COMMENT ON COLUMN public.edition_overview.description IS 'what the edition is, in words';
COMMENT ON COLUMN public.edition_overview.queries IS 'queries with a judgment';
COMMENT ON COLUMN public.edition_overview.judgments IS 'judged pairs of query and document';
COMMENT ON COLUMN public.edition_overview.grades IS 'number of pairs by grade';
COMMENT ON COLUMN public.edition_overview.origins IS 'number of pairs by origin: human, llm, knn';
COMMENT ON COLUMN public.edition_overview.rows IS 'stored judgments, including those of several annotators';
COMMENT ON COLUMN public.edition_overview.made IS 'when the edition was created';
COMMENT ON COLUMN public.edition_overview.split IS 'train or test';
COMMENT ON COLUMN public.edition_overview.year IS 'year of the campaign';
COMMENT ON COLUMN public.edition_overview.scale IS 'meaning of each grade';
COMMENT ON COLUMN public.edition_overview.sealed IS 'when the edition was sealed; NULL if it is open';
COMMENT ON COLUMN public.edition_overview.fingerprint IS 'fingerprint of the judgments when the edition was sealed';
COMMENT ON COLUMN public.edition_overview.hidden IS 'participants and readers do not see the edition';
COMMENT ON COLUMN public.edition_overview.released IS 'when a hidden edition was released';
COMMENT ON COLUMN public.edition_overview.simulated IS 'why the judgments are not real, if they are simulated';
