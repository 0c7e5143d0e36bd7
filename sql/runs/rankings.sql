-- rankings: the ranked documents of all runs, by the names the outside world uses.
CREATE OR REPLACE VIEW rankings WITH (security_invoker = true) AS
SELECT n.run, q.query, d.docno, r.doc, r.rank, r.rel_score, r.comb_score, r.passage
  FROM st1_rankings r
  JOIN st1_runs n ON n.id = r.run
  JOIN st1_queries q ON q.id = r.query
  JOIN dblp d ON d.id = r.doc;
COMMENT ON VIEW rankings IS 'The ranked documents of all runs, by name: run, query, docno';
