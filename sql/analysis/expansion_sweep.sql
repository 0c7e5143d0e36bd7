-- expansion_sweep: labels that an expansion of an edition would add, and how reliable they are, for each number of
-- neighbours and each threshold; ordered by neighbours, then by threshold, highest first.
--
-- Reads the temporary table near (stage_near), which must contain enough neighbours.
--
--   added        pairs of query and document that would get a new label
--   agreeing, conflicting
--                near pairs that people already judged in the edition as relevant (rel >= 1) or as not relevant. Their
--                grades do not change; agreeing / (agreeing + conflicting) estimates how reliable the new labels are
--   later        added pairs that people judged in the editions of against
--   relevant     those of later with rel >= 1
--   same         those of later with exactly the grade that the expansion gives
--   right_share  relevant / later; NULL if later is 0
--
-- The caller has already checked edition_id and against.
CREATE OR REPLACE FUNCTION expansion_sweep(
    edition_id integer, against text[], most integer[], thresholds double precision[])
RETURNS TABLE (neighbours integer, threshold double precision, added bigint, agreeing bigint, conflicting bigint,
               later bigint,
               relevant bigint, same bigint, right_share double precision)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH cells AS (
        SELECT n.neighbours, t.threshold FROM unnest(expansion_sweep.most) AS n (neighbours),
               unnest(expansion_sweep.thresholds) AS t (threshold)),
    -- for each near pair: whether the edition judges it, its human grade here, and its first human grade in against
    said AS (
        SELECT p.query, p.doc, here.origin IS NOT NULL AS judged,
               CASE WHEN here.origin = 'human' AND here.rel >= 0 THEN here.rel END AS here,
               there.rel AS there
          FROM (SELECT DISTINCT query, doc FROM pg_temp.near) p
          LEFT JOIN qrels here ON here.edition = expansion_sweep.edition_id AND here.query = p.query
               AND here.doc = p.doc
          LEFT JOIN LATERAL (
               SELECT j.rel FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition
                WHERE e.edition = ANY (expansion_sweep.against) AND j.query = p.query AND j.doc = p.doc
                  AND j.origin = 'human' AND j.rel >= 0
                ORDER BY e.made, j.id LIMIT 1) there ON true),
    labels AS (  -- the grade comes from the nearest source
        SELECT DISTINCT ON (c.neighbours, c.threshold, n.query, n.doc) c.neighbours, c.threshold, n.query, n.doc, n.rel
          FROM cells c
          JOIN pg_temp.near n ON n.place <= c.neighbours AND n.similarity >= c.threshold
          JOIN dblp d ON d.id = n.source
         ORDER BY c.neighbours, c.threshold, n.query, n.doc, n.similarity DESC, d.docno DESC)
    SELECT c.neighbours, c.threshold,
           count(*) FILTER (WHERE NOT h.judged), count(*) FILTER (WHERE h.here >= 1),
           count(*) FILTER (WHERE h.here = 0),
           count(*) FILTER (WHERE NOT h.judged AND h.there IS NOT NULL),
           count(*) FILTER (WHERE NOT h.judged AND h.there >= 1),
           count(*) FILTER (WHERE NOT h.judged AND h.there = l.rel),
           count(*) FILTER (WHERE NOT h.judged AND h.there >= 1)::double precision
           / nullif(count(*) FILTER (WHERE NOT h.judged AND h.there IS NOT NULL), 0)
      FROM cells c
      LEFT JOIN labels l USING (neighbours, threshold)
      LEFT JOIN said h ON h.query = l.query AND h.doc = l.doc
     GROUP BY c.neighbours, c.threshold
     ORDER BY c.neighbours, c.threshold DESC;
END
$$;
COMMENT ON FUNCTION expansion_sweep(integer, text[], integer[], double precision[]) IS
    'The labels that an expansion by the temporary table near would add, and how reliable they are, per number of '
    'neighbours and threshold';
