-- judged_at: how much of the top of runs the edition has judged, one row per run and query of the edition; in no order.
--
--   Judged@cutoff = judged documents among the first cutoff, divided by their number (less than cutoff in a shorter ranking)
--
-- As ir_measures has it, but that a negative rel counts as not judged. A query the run has nothing for is 0; complete as for evaluate.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION judged_at(runs text[], edition text, cutoff integer DEFAULT 10, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT s.run, s.query, s.value
      FROM scores(judged_at.runs, judged_at.edition, ARRAY['judged_' || judged_at.cutoff], judged_at.complete) s
$$;
COMMENT ON FUNCTION judged_at(text[], text, integer, boolean) IS 'Judged@cutoff per run and query of an edition, as ir_measures; in [0, 1]';
