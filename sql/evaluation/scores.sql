-- scores: the values of any measures for runs, one row per run, query of the edition and measure; in no order. What every analysis reads.
--
-- measures: their names, of trec_eval (ndcg_cut_10, recip_rank) or of ir_measures (nDCG@10, RR); the column measure repeats them as given.
-- runs: their names, all if none is named. A run that is known by its scores alone (st1_scores) has those. complete: a query the run has
-- nothing for scores 0 (trec_eval -c), else it is left out.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION scores(runs text[], edition text, measures text[], complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH named AS (
        SELECT m.measure, lower(substring(m.measure FROM '^([A-Za-z_]+?)(?:[@_]\d+)?$')) AS kind,
               coalesce(substring(m.measure FROM '[@_](\d+)$')::integer, 10) AS cutoff
          FROM unnest(scores.measures) AS m (measure))
    SELECT e.run, e.query, n.measure,
           CASE WHEN n.kind IN ('ndcg', 'ndcg_cut') THEN e.ndcg WHEN n.kind = 'p' THEN e.precision_at
                WHEN n.kind IN ('r', 'recall') THEN e.recall_at WHEN n.kind IN ('rr', 'recip_rank') THEN e.reciprocal_rank
                WHEN n.kind IN ('ap', 'map') THEN e.average_precision WHEN n.kind = 'bpref' THEN e.bpref END
      FROM named n
      JOIN evaluate(scores.runs, scores.edition, (SELECT array_agg(DISTINCT cutoff) FROM named), scores.complete) e USING (cutoff)
$$;
COMMENT ON FUNCTION scores(text[], text, text[], boolean) IS 'The values of any measures, per run and query of an edition';
