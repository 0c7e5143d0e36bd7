-- precision_at: precision of runs, one row per run and query of the edition; unordered.
--
--   P@cutoff = relevant documents among the first cutoff, divided by cutoff
--
-- Equal to trec_eval 9's P with -c. This is one column of evaluate; see there for details.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.precision_at(runs text[], edition text, cutoff integer DEFAULT 10,
                                               complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.precision_at
      FROM evaluate(precision_at.runs, precision_at.edition, ARRAY[precision_at.cutoff], precision_at.complete) e
$$;
COMMENT ON FUNCTION public.precision_at(text[], text, integer, boolean) IS
    'Precision (P@cutoff) per run and query, as trec_eval P -c; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.precision_at(runs text, edition text, cutoff integer DEFAULT 10,
                                               complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM precision_at(run_list(precision_at.runs), precision_at.edition, precision_at.cutoff, precision_at.complete) m
$$;
COMMENT ON FUNCTION public.precision_at(text, text, integer, boolean) IS
    'Precision (P@cutoff) per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
