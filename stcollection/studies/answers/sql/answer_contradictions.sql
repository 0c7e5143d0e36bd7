-- answer_contradictions: strongest contradiction between each pair of clusters of a query, and within each cluster, as
-- the run read it. One row per pair of clusters with a contradiction; strongest first.
--
-- cluster <= against; a belongs to cluster, b to against.
CREATE OR REPLACE FUNCTION answer_contradictions(run_id integer, query_id integer)
RETURNS TABLE (cluster integer, against integer, a bigint, b bigint, oppose double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    SELECT t.cluster, t.against, t.a, t.b, t.oppose
      FROM (SELECT DISTINCT ON (least(c.cluster, d.cluster), greatest(c.cluster, d.cluster))
                   least(c.cluster, d.cluster) AS cluster, greatest(c.cluster, d.cluster) AS against,
                   CASE WHEN c.cluster <= d.cluster THEN e.a ELSE e.b END AS a,
                   CASE WHEN c.cluster <= d.cluster THEN e.b ELSE e.a END AS b, e.oppose
              FROM answer_run_edges(answer_contradictions.run_id, answer_contradictions.query_id) e
             CROSS JOIN LATERAL (SELECT o.cluster FROM answer_clusters o
                                  WHERE o.run = answer_contradictions.run_id AND o.answer = e.a OFFSET 0) c
             CROSS JOIN LATERAL (SELECT o.cluster FROM answer_clusters o
                                  WHERE o.run = answer_contradictions.run_id AND o.answer = e.b OFFSET 0) d
             WHERE e.oppose > 0
             ORDER BY least(c.cluster, d.cluster), greatest(c.cluster, d.cluster), e.oppose DESC, e.a, e.b) t
     ORDER BY t.oppose DESC, t.cluster, t.against
$$;
COMMENT ON FUNCTION answer_contradictions(integer, integer) IS
    'Strongest contradiction between each pair of clusters of a query, and within each cluster; strongest first';
