-- gathered_parts: the rank and score of documents in rankings (gathered_rankings), and their contributions to the fused
-- score (fusion_part): one row per document and ranking that contains it, largest first. The other arguments are those
-- of fuse.
CREATE OR REPLACE FUNCTION gathered_parts(
    gathered ranked[], docs bigint[], weights jsonb, method text, norm text, constant integer
)
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
               count(*) AS n, (gathered_parts.weights ->> r.ranking)::double precision AS weight
          FROM unnest(gathered_parts.gathered) r GROUP BY r.ranking)
    SELECT r.doc, r.ranking, r.rank, r.score,
           fusion_part(gathered_parts.method, gathered_parts.norm, g.weight, r.score, r.rank, g.lowest, g.highest,
                       g.deviation, g.n, gathered_parts.constant)
           * CASE gathered_parts.method WHEN 'mnz' THEN count(*) OVER (PARTITION BY r.doc) ELSE 1 END
      FROM unnest(gathered_parts.gathered) r JOIN given g USING (ranking)
     WHERE r.doc = ANY (gathered_parts.docs)
     ORDER BY r.doc, 5 DESC, r.ranking;
END
$$;
COMMENT ON FUNCTION gathered_parts(ranked[], bigint[], jsonb, text, text, integer) IS
'Part of search_parts: rank, score and contribution of documents in gathered rankings';
