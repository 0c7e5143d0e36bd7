-- run_overview: one row a run, with what it holds: queries, ranked documents, and the depth of its longest ranking.
CREATE OR REPLACE VIEW public.run_overview WITH (security_invoker = true) AS
SELECT n.run, n.team, n.tag, n.manual, n.family, coalesce(c.queries, 0) AS queries, coalesce(c.ranked, 0) AS ranked,
       coalesce(c.depth, 0) AS depth, n.source, n.made
  FROM st1_runs n
  LEFT JOIN (SELECT run, count(*) AS queries, sum(ranked)::bigint AS ranked, max(ranked) AS depth
               FROM (SELECT run, query, count(*) AS ranked FROM st1_rankings GROUP BY run, query) q
              GROUP BY run) c ON c.run = n.id;
COMMENT ON VIEW public.run_overview IS
'The runs and what they hold: queries, ranked documents, depth of the longest ranking';
COMMENT ON COLUMN public.run_overview.run IS 'name of the run';
COMMENT ON COLUMN public.run_overview.team IS 'team that submitted it; NULL for runs of the organisers';
COMMENT ON COLUMN public.run_overview.tag IS 'tag in the run file';
COMMENT ON COLUMN public.run_overview.manual IS 'made with human intervention';
COMMENT ON COLUMN public.run_overview.family IS 'kind of system';
COMMENT ON COLUMN public.run_overview.queries IS 'queries that it ranks documents for';
COMMENT ON COLUMN public.run_overview.ranked IS 'ranked documents of all queries';
COMMENT ON COLUMN public.run_overview.depth IS 'documents of its longest ranking';
COMMENT ON COLUMN public.run_overview.source IS 'file it was imported from';
COMMENT ON COLUMN public.run_overview.made IS 'when it was stored';
