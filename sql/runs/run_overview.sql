-- run_overview: one row per run, with its numbers of queries and ranked documents and the depth of its longest ranking.
CREATE OR REPLACE VIEW public.run_overview WITH (security_invoker = true) AS
SELECT n.run, n.team, n.tag, n.manual, n.family, coalesce(c.queries, 0) AS queries, coalesce(c.ranked, 0) AS ranked,
       coalesce(c.depth, 0) AS depth, n.source, n.made
  FROM st1_runs n
  LEFT JOIN (SELECT run, count(*) AS queries, sum(ranked)::bigint AS ranked, max(ranked) AS depth
               FROM (SELECT run, query, count(*) AS ranked FROM st1_rankings GROUP BY run, query) q
              GROUP BY run) c ON c.run = n.id;
COMMENT ON VIEW public.run_overview IS
    'Runs with their numbers of queries and ranked documents and the depth of the longest ranking';
COMMENT ON COLUMN public.run_overview.run IS 'name of the run';
COMMENT ON COLUMN public.run_overview.team IS 'team that submitted it; NULL for runs of the organisers';
COMMENT ON COLUMN public.run_overview.tag IS 'tag in the run file';
COMMENT ON COLUMN public.run_overview.manual IS 'true if the run was made with human intervention';
COMMENT ON COLUMN public.run_overview.family IS 'kind of system; NULL if unknown';
COMMENT ON COLUMN public.run_overview.queries IS 'number of queries for which it ranks documents';
COMMENT ON COLUMN public.run_overview.ranked IS 'number of ranked documents over all queries';
COMMENT ON COLUMN public.run_overview.depth IS 'number of documents in its longest ranking';
COMMENT ON COLUMN public.run_overview.source IS 'file it was imported from; NULL if it was made in this collection';
COMMENT ON COLUMN public.run_overview.made IS 'when it was stored';
