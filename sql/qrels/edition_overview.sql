-- edition_overview: one row per edition, with its numbers of judged queries and documents, and of judgments by grade
-- and by origin. Hidden editions are omitted for roles without access.
--
-- One judgment per query and document is counted, as in the view qrels; rows counts all stored ones. A grade that
-- occurs only in other rows, for example of a second annotator, is listed in grades with 0.
CREATE OR REPLACE VIEW public.edition_overview WITH (security_invoker = true) AS
SELECT e.edition, e.description, s.queries, s.judgments::bigint, s.grades, s.origins,
       (SELECT count(*) FROM qrels_judgments j WHERE j.edition = e.id) AS rows, e.made,
       e.split, e.year, e.scale, e.sealed, e.fingerprint, e.hidden, e.released, e.simulated,
       (SELECT count(*) FROM qrels_subtopics t WHERE t.edition = e.id) AS subtopic_judgments
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
    'Editions of the judgments, with their numbers of queries and judgments by grade and by origin';
COMMENT ON COLUMN public.edition_overview.edition IS 'name of the edition';
COMMENT ON COLUMN public.edition_overview.description IS 'description of the edition';
COMMENT ON COLUMN public.edition_overview.queries IS 'number of queries with a judgment';
COMMENT ON COLUMN public.edition_overview.judgments IS 'number of judged pairs of query and document';
COMMENT ON COLUMN public.edition_overview.grades IS 'number of pairs by grade';
COMMENT ON COLUMN public.edition_overview.origins IS 'number of pairs by origin: human, llm, knn';
COMMENT ON COLUMN public.edition_overview.rows IS 'number of stored judgments, including those of several annotators';
COMMENT ON COLUMN public.edition_overview.made IS 'when the edition was created';
COMMENT ON COLUMN public.edition_overview.split IS 'train or test; NULL if neither';
COMMENT ON COLUMN public.edition_overview.year IS 'year of the campaign; NULL if unknown';
COMMENT ON COLUMN public.edition_overview.scale IS
    'mapping of grades on import, {theirs: ours}; NULL if grades were not mapped';
COMMENT ON COLUMN public.edition_overview.sealed IS 'when the edition was sealed; NULL if it is open';
COMMENT ON COLUMN public.edition_overview.fingerprint IS
    'fingerprint of the judgments when the edition was sealed; NULL if it is open';
COMMENT ON COLUMN public.edition_overview.hidden IS 'true if participants and readers cannot see the edition';
COMMENT ON COLUMN public.edition_overview.released IS 'when a hidden edition was released; NULL if it was not';
COMMENT ON COLUMN public.edition_overview.simulated IS 'true if some judgments are made up';
COMMENT ON COLUMN public.edition_overview.subtopic_judgments IS
    'number of judgments by subtopic, which judgments and rows do not include';
