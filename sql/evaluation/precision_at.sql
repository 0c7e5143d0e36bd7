-- precision_at: precision of runs, one row per run and query of the edition; in no order.
--
--   P@cutoff = relevant documents among the first cutoff, divided by cutoff
--
-- Equal to trec_eval 9's P under -c; more at evaluate, of which it is one column.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.precision_at(runs text[], edition text, cutoff integer DEFAULT 10,
                                               complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.precision_at
      FROM evaluate(precision_at.runs, precision_at.edition, ARRAY[precision_at.cutoff], precision_at.complete) e
$$;
COMMENT ON FUNCTION public.precision_at(text[], text, integer, boolean) IS
'P@cutoff per run and query, as trec_eval P -c; in [0, 1]';

-- One run by its name.
CREATE OR REPLACE FUNCTION public.precision_at(runs text, edition text, cutoff integer DEFAULT 10,
                                               complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM precision_at(run_list(precision_at.runs), precision_at.edition, precision_at.cutoff, precision_at.complete) m
$$;
COMMENT ON FUNCTION public.precision_at(text, text, integer, boolean) IS
    'P@cutoff of one run per query, or of several written as ''{bm25,dense}''';
