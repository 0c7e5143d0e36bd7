-- gathered_parts: the rank and score of documents in the rankings of hybrid (gathered_rankings), and their
-- contributions to the fused score (fusion_part): one row per document and ranking that contains it, largest first.
CREATE OR REPLACE FUNCTION gathered_parts(gathered ranked[], docs bigint[])
RETURNS TABLE (doc bigint, ranking text, rank integer, score double precision, added double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH given AS (
        SELECT r.ranking, min(r.score) AS lowest, max(r.score) AS highest, stddev_pop(r.score) AS deviation,
               count(*) AS n, (hybrid_weights(ARRAY[r.ranking]) ->> r.ranking)::double precision AS weight
          FROM unnest(gathered_parts.gathered) r GROUP BY r.ranking)
    SELECT r.doc, r.ranking, r.rank, r.score,
           fusion_part('sum', 'zscore', g.weight, r.score, r.rank, g.lowest, g.highest, g.deviation, g.n, 60)
      FROM unnest(gathered_parts.gathered) r JOIN given g USING (ranking)
     WHERE r.doc = ANY (gathered_parts.docs)
     ORDER BY r.doc, 5 DESC, r.ranking;
END
$$;
COMMENT ON FUNCTION gathered_parts(ranked[], bigint[]) IS
'Part of search_parts: rank, score and contribution of documents in gathered rankings';
