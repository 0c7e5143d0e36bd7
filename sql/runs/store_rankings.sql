-- store_rankings: store ranked documents of a run, given as arrays of equal length, and return their number. The ranks
-- of a query are consecutive. combined: the scores are also stored as comb_score. passages: may be shorter.
CREATE OR REPLACE FUNCTION store_rankings(
    run integer, queries integer[], docs bigint[], ranks integer[], scores double precision[],
    combined boolean DEFAULT false, passages text[] DEFAULT '{}'
)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    INSERT INTO ranked_lists (run, query, first, docs, rel_scores, comb_scores, passages)
    SELECT store_rankings.run, u.query, min(u.rank), array_agg(u.doc ORDER BY u.rank),
           array_agg(u.score ORDER BY u.rank),
           CASE WHEN store_rankings.combined THEN array_agg(u.score ORDER BY u.rank) END,
           CASE WHEN count(u.passage) > 0 THEN array_agg(u.passage ORDER BY u.rank) END
      FROM unnest(store_rankings.queries, store_rankings.docs, store_rankings.ranks, store_rankings.scores,
                  store_rankings.passages) AS u (query, doc, rank, score, passage)
     GROUP BY u.query, list_part(u.rank) ORDER BY 2, 3;
    RETURN cardinality(store_rankings.docs);
END
$$;
COMMENT ON FUNCTION store_rankings(integer, integer[], bigint[], integer[], double precision[], boolean, text[]) IS
    'Store ranked documents of a run, given as arrays of equal length; returns their number';
