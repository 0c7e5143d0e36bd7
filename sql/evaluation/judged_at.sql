-- judged_at: how much of the top of runs the edition has judged, one row per run and query of the edition; in no order.
--
--   Judged@cutoff = judged documents among the first cutoff,
--                   divided by their number (less than cutoff in a shorter ranking)
--
-- As ir_measures has it, but that a negative rel counts as not judged. A query the run has nothing for is 0; complete
-- as for evaluate.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.judged_at(runs text[], edition text, cutoff integer DEFAULT 10,
                                            complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT s.run, s.query, s.value
      FROM scores(judged_at.runs, judged_at.edition, ARRAY['judged_' || judged_at.cutoff], judged_at.complete) s
$$;
COMMENT ON FUNCTION public.judged_at(text[], text, integer, boolean) IS
    'Judged@cutoff per run and query of an edition, as ir_measures; in [0, 1]';

-- One run by its name.
CREATE OR REPLACE FUNCTION public.judged_at(runs text, edition text, cutoff integer DEFAULT 10,
                                            complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM judged_at(run_list(judged_at.runs), judged_at.edition, judged_at.cutoff, judged_at.complete) m
$$;
COMMENT ON FUNCTION public.judged_at(text, text, integer, boolean) IS
    'Judged@cutoff of one run per query, or of several written as ''{bm25,dense}''';
