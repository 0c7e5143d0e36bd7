-- answer_rank_clusters: renumber the clusters of a run by answer_endorsement, 1 being the most endorsed, and store the
-- documents of cluster 1 as its predictions. Returns the number of queries with predictions.
--
-- The run abstains on a query whose cluster 1 has fewer than at_least documents.
CREATE OR REPLACE FUNCTION answer_rank_clusters(run_id integer, at_least integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
DECLARE
    answered bigint;
BEGIN
    CREATE TEMP TABLE answer_ranked ON COMMIT DROP AS
        SELECT e.query, e.cluster, e.rank, e.documents FROM answer_endorsement(answer_rank_clusters.run_id) e;
    UPDATE answer_clusters c SET cluster = r.rank
      FROM answer_ranked r
     WHERE c.run = answer_rank_clusters.run_id AND c.query = r.query AND c.cluster = r.cluster AND r.rank <> r.cluster;
    INSERT INTO answer_predictions (run, document, query)
    SELECT DISTINCT c.run, a.document, c.query
      FROM answer_clusters c JOIN answers a ON a.id = c.answer
      JOIN answer_ranked r ON r.query = c.query AND r.rank = 1 AND r.documents >= answer_rank_clusters.at_least
     WHERE c.run = answer_rank_clusters.run_id AND c.cluster = 1;
    DROP TABLE answer_ranked;
    SELECT count(DISTINCT p.query) INTO answered FROM answer_predictions p WHERE p.run = answer_rank_clusters.run_id;
    RETURN answered;
END
$$;
COMMENT ON FUNCTION answer_rank_clusters(integer, integer) IS
    'Renumbers the clusters of a run, most endorsed first, and stores the documents it returns; returns the number '
    'of queries with predictions';
