-- judged_at: share of judged documents at the top of runs, one row per run and query of the edition; unordered.
--
--   Judged@cutoff = judged documents among the first cutoff,
--                   divided by their number (less than cutoff in a shorter ranking)
--
-- As in ir_measures, except that a negative rel counts as not judged. The value is 0 for a query for which the run has
-- no ranking; complete as in evaluate.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.judged_at(runs text[], edition text, cutoff integer DEFAULT 10,
                                            complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.run, s.query, s.value
      FROM scores(judged_at.runs, judged_at.edition, ARRAY['judged_' || judged_at.cutoff], judged_at.complete) s
$$;
COMMENT ON FUNCTION public.judged_at(text[], text, integer, boolean) IS
    'Share of judged documents among the first cutoff (Judged@cutoff) per run and query, as ir_measures; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.judged_at(runs text, edition text, cutoff integer DEFAULT 10,
                                            complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM judged_at(run_list(judged_at.runs), judged_at.edition, judged_at.cutoff, judged_at.complete) m
$$;
COMMENT ON FUNCTION public.judged_at(text, text, integer, boolean) IS
    'Judged@cutoff per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
