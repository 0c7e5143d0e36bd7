-- answer_run_overview: runs of answer verification with counts of their contents, one row per run. answered: queries
-- with returned documents; documents: returned in all; clusters: 0 for a run that groups no answers.
CREATE OR REPLACE VIEW answer_run_overview WITH (security_invoker = true) AS
    SELECT r.run, s.set, s.split, r.method, r.params,
           (SELECT count(*) FROM answer_queries q WHERE q.set = r.set) AS queries,
           (SELECT count(DISTINCT p.query) FROM answer_predictions p WHERE p.run = r.id) AS answered,
           (SELECT count(*) FROM answer_predictions p WHERE p.run = r.id) AS documents,
           (SELECT count(*) FROM (SELECT DISTINCT c.query, c.cluster FROM answer_clusters c
                                   WHERE c.run = r.id) d) AS clusters, r.made
      FROM answer_runs r JOIN answer_sets s ON s.id = r.set;
COMMENT ON VIEW answer_run_overview IS
    'Runs of answer verification with their numbers of queries, answered queries, documents and clusters';
