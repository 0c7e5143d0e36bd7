-- answer_endorsement: clusters of a run with their endorsement, best first per query. This is the only place where the
-- rule is defined:
--
--   1. more distinct documents   (documents: the endorsement)
--   2. more answers              (answers)
--   3. higher mean support       (support: over the judged pairs within the cluster; NULL is lowest)
--   4. the earliest document     (place: the lowest place of its documents)
--   5. the lowest answer id      (first)
--
-- rank is by this rule, from 1; the run returns the cluster with rank 1. cluster is the stored number, equal to rank
-- once answer_rank_clusters has renumbered the clusters. step is the number of the rule that put rank 1 before rank 2;
-- NULL for other ranks, and if there is only one cluster. The function looks up rows by index and groups once, because
-- right after a run is stored the planner does not know its size.
--
-- query_id: one query; NULL for all. A document may endorse two clusters.
CREATE OR REPLACE FUNCTION answer_endorsement(run_id integer, query_id integer DEFAULT NULL)
RETURNS TABLE (query integer, rank integer, cluster integer, documents integer, answers integer,
               support double precision,
               place integer, first bigint, step integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH told AS (
        SELECT h.query, h.cluster, count(DISTINCT h.document)::integer AS documents,
               count(h.answer)::integer AS answers,
               min(h.place) AS place, min(h.answer) AS first,
               round(avg(h.support)::numeric, 9)::double precision AS support
          FROM (SELECT c.query, c.cluster, c.answer, a.document, d.place, NULL::double precision AS support
                  FROM answer_clusters c JOIN answers a ON a.id = c.answer JOIN answer_documents d ON d.id = a.document
                 WHERE c.run = answer_endorsement.run_id
                   AND (answer_endorsement.query_id IS NULL OR c.query = answer_endorsement.query_id)
                UNION ALL
                SELECT e.query, c.cluster, NULL, NULL, NULL, e.support
                  FROM answer_run_edges(answer_endorsement.run_id, answer_endorsement.query_id) e
                 CROSS JOIN LATERAL (SELECT o.cluster FROM answer_clusters o
                                      WHERE o.run = answer_endorsement.run_id AND o.answer = e.a OFFSET 0) c
                 CROSS JOIN LATERAL (SELECT o.cluster FROM answer_clusters o
                                      WHERE o.run = answer_endorsement.run_id AND o.answer = e.b OFFSET 0) d
                 WHERE c.cluster = d.cluster) h
         GROUP BY h.query, h.cluster),
    ranked AS (
        SELECT t.*, row_number() OVER by_rule::integer AS rank, lead(t.documents) OVER by_rule AS next_documents,
               lead(t.answers) OVER by_rule AS next_answers, lead(t.support) OVER by_rule AS next_support,
               lead(t.place) OVER by_rule AS next_place
          FROM told t
        WINDOW by_rule AS (PARTITION BY t.query
                           ORDER BY t.documents DESC, t.answers DESC, t.support DESC NULLS LAST, t.place, t.first))
    SELECT r.query, r.rank, r.cluster, r.documents, r.answers, r.support, r.place, r.first,
           CASE WHEN r.rank > 1 OR r.next_documents IS NULL THEN NULL
                WHEN r.documents > r.next_documents THEN 1
                WHEN r.answers > r.next_answers THEN 2
                WHEN r.support IS DISTINCT FROM r.next_support THEN 3
                WHEN r.place < r.next_place THEN 4
                ELSE 5 END
      FROM ranked r
     ORDER BY r.query, r.rank;
END
$$;
COMMENT ON FUNCTION answer_endorsement(integer, integer) IS
    'Clusters of a run with their endorsement, best first per query; defines the rule that breaks ties';
