-- store_rankings: store ranked documents of a run, given as arrays of equal length, and return their number. Functions
-- that create a run call it for some ten thousand documents at a time: the triggers of a statement need memory for each
-- row until the statement ends.
CREATE OR REPLACE FUNCTION store_rankings(
    run integer, queries integer[], docs bigint[], ranks integer[], scores double precision[]
)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF cardinality(store_rankings.docs) > 0 THEN
        INSERT INTO st1_rankings (run, query, doc, rank, rel_score)
        SELECT store_rankings.run, u.query, u.doc, u.rank, u.score
          FROM unnest(store_rankings.queries, store_rankings.docs, store_rankings.ranks, store_rankings.scores)
               AS u (query, doc, rank, score);
    END IF;
    RETURN cardinality(store_rankings.docs);
END
$$;
COMMENT ON FUNCTION store_rankings(integer, integer[], bigint[], integer[], double precision[]) IS
    'Store ranked documents of a run, given as arrays of equal length; returns their number';
