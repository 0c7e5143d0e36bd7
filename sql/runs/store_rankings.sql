-- store_rankings: store ranked documents of a run, given as arrays of equal length, and return their number. Functions
-- that create a run call it for some ten thousand documents at a time: the triggers of a statement need memory for each
-- row until the statement ends. combined: the scores are also stored as comb_score. passages: may be shorter.
CREATE OR REPLACE FUNCTION store_rankings(
    run integer, queries integer[], docs bigint[], ranks integer[], scores double precision[],
    combined boolean DEFAULT false, passages text[] DEFAULT '{}'
)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF cardinality(store_rankings.docs) > 0 THEN
        INSERT INTO st1_rankings (run, query, doc, rank, rel_score, comb_score, passage)
        SELECT store_rankings.run, u.query, u.doc, u.rank, u.score, CASE WHEN store_rankings.combined THEN u.score END,
               u.passage
          FROM unnest(store_rankings.queries, store_rankings.docs, store_rankings.ranks, store_rankings.scores,
                      store_rankings.passages) AS u (query, doc, rank, score, passage);
    END IF;
    RETURN cardinality(store_rankings.docs);
END
$$;
COMMENT ON FUNCTION store_rankings(integer, integer[], bigint[], integer[], double precision[], boolean, text[]) IS
    'Store ranked documents of a run, given as arrays of equal length; returns their number';
