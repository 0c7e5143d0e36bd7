-- judged_at: how much of the top of runs the edition has judged, one row per run and query of the edition; in no order.
--
--   Judged@cutoff = judged documents among the first cutoff, divided by their number (less than cutoff in a shorter ranking)
--
-- As ir_measures has it, but that a negative rel counts as not judged. A query the run has nothing for is 0; complete as for evaluate.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION judged_at(runs text[], edition text, cutoff integer DEFAULT 10, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
SET jit = off
SET enable_seqscan = off  -- the top ranks are few: always by the index
AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(judged_at.runs, judged_at.edition, ARRAY[judged_at.cutoff]);
    RETURN QUERY
    SELECT n.run, q.query, coalesce(t.value, 0)
      FROM st1_runs n
     CROSS JOIN st1_queries q
      LEFT JOIN (SELECT k.run, k.query, avg((j.doc IS NOT NULL)::integer::double precision) AS value
                   FROM st1_rankings k
                   LEFT JOIN qrels j ON j.edition = key.edition_id AND j.query = k.query AND j.doc = k.doc AND j.rel >= 0
                  WHERE k.run = ANY (key.run_ids) AND k.query = ANY (key.query_ids) AND k.rank <= judged_at.cutoff
                  GROUP BY k.run, k.query) t ON t.run = n.id AND t.query = q.id
     WHERE n.id = ANY (key.run_ids) AND q.id = ANY (key.query_ids) AND (judged_at.complete OR t.run IS NOT NULL);
END
$$;
COMMENT ON FUNCTION judged_at(text[], text, integer, boolean) IS 'Judged@cutoff per run and query of an edition, as ir_measures; in [0, 1]';
