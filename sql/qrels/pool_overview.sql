-- pool_overview: one row per pool: how it was made, its numbers of queries and documents, and the progress of its
-- sheets (documents judged by any annotator, grades given, grades submitted).
CREATE OR REPLACE VIEW stc_all.pool_overview WITH (security_invoker = true) AS
SELECT p.pool, p.method, d.queries, d.documents, coalesce(a.documents, 0) AS judged,
       coalesce(a.annotators, '{}') AS annotators,
       coalesce(a.grades, 0) AS grades, coalesce(a.submitted, 0) AS submitted, p.params, p.made, p.simulated
  FROM stc_all.qrels_pools p
  LEFT JOIN (SELECT pool, count(DISTINCT query) AS queries, count(*) AS documents FROM stc_all.qrels_pool_documents
              GROUP BY pool) d
    ON d.pool = p.id
  LEFT JOIN (SELECT pool, count(DISTINCT concat(query, ':', doc)) AS documents,
                    array_agg(DISTINCT annotator) AS annotators,
                    count(*) AS grades, count(submitted) AS submitted
               FROM stc_all.qrels_assessments WHERE rel IS NOT NULL GROUP BY pool) a ON a.pool = p.id;
COMMENT ON VIEW stc_all.pool_overview IS 'Pools: method, numbers of queries and documents, and progress of assessment';
