-- store_ranking: store the ranking of a query of an unfinished run, which a program made (pipeline_stage). spent, done
-- and stopped as in search_queries.
CREATE OR REPLACE FUNCTION store_ranking(
    unfinished integer, query integer, docs bigint[], scores double precision[], spent jsonb DEFAULT NULL,
    OUT done bigint, OUT stopped boolean
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    made CONSTANT unfinished_runs := claim_unfinished(store_ranking.unfinished, shared => true);
BEGIN
    stopped := made.id IS NULL;
    IF stopped THEN
        RETURN;
    END IF;
    PERFORM check_reranked(store_ranking.scores);
    INSERT INTO unfinished_rankings (unfinished, query, docs, scores, spent)
    VALUES (made.id, store_ranking.query, store_ranking.docs, store_ranking.scores, store_ranking.spent)
    ON CONFLICT DO NOTHING;
    done := (SELECT count(*) FROM unfinished_rankings r WHERE r.unfinished = made.id);
END
$$;
COMMENT ON FUNCTION store_ranking(integer, integer, bigint[], double precision[], jsonb) IS
'Store the ranking of a query of an unfinished run, which a program made';
