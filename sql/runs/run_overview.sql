-- run_overview: one row a run, with what it holds: queries, ranked documents, and the depth of its longest ranking.
CREATE OR REPLACE VIEW run_overview WITH (security_invoker = true) AS
SELECT n.run, n.team, n.tag, n.manual, n.family, coalesce(c.queries, 0) AS queries, coalesce(c.ranked, 0) AS ranked,
       coalesce(c.depth, 0) AS depth, n.source, n.made
  FROM st1_runs n
  LEFT JOIN (SELECT run, count(*) AS queries, sum(ranked)::bigint AS ranked, max(ranked) AS depth
               FROM (SELECT run, query, count(*) AS ranked FROM st1_rankings GROUP BY run, query) q
              GROUP BY run) c ON c.run = n.id;
COMMENT ON VIEW run_overview IS 'The runs and what they hold: queries, ranked documents, depth of the longest ranking';
