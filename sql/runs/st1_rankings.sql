-- st1_rankings: ranked documents of all runs in the layout in which the collection was published: run and query by
-- name, doc by id. The table stc.st1_rankings has the numbers of run and query, here run_id and query_id.
--
-- The joins are outer joins on keys, so that the planner omits them for a statement that reads no name.
CREATE OR REPLACE VIEW public.st1_rankings WITH (security_invoker = true) AS
SELECT n.run, q.query, r.doc, r.rank, r.file_rank, r.rel_score, r.comb_score, r.passage, r.run AS run_id,
       r.query AS query_id
  FROM stc.st1_rankings r
  LEFT JOIN public.st1_runs n ON n.id = r.run
  LEFT JOIN stc.st1_queries q ON q.id = r.query;
COMMENT ON VIEW public.st1_rankings IS
    'Ranked documents of the runs as published: (run, query, doc, rank, rel_score), run and query by name';
COMMENT ON COLUMN public.st1_rankings.run IS 'name of the run';
COMMENT ON COLUMN public.st1_rankings.query IS 'name of the query';
COMMENT ON COLUMN public.st1_rankings.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.st1_rankings.rank IS 'rank of the document, 1 = best';
COMMENT ON COLUMN public.st1_rankings.file_rank IS 'rank of the document in the imported file';
COMMENT ON COLUMN public.st1_rankings.rel_score IS 'relevance score; larger is better';
COMMENT ON COLUMN public.st1_rankings.comb_score IS
    'combined score of relevance, readability and credibility; larger is better';
COMMENT ON COLUMN public.st1_rankings.passage IS 'passage of the document returned by the run';
COMMENT ON COLUMN public.st1_rankings.run_id IS 'number of the run: st1_runs.id';
COMMENT ON COLUMN public.st1_rankings.query_id IS 'number of the query: st1_queries.id';
