-- average_precision: average precision of runs, one row per run and query of the edition; unordered.
--
--   AP = sum over relevant documents of the precision at their rank, divided by the relevant documents of the query
--
-- Equal to trec_eval 9's map with -c. This is one column of evaluate; see there for details.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION public.average_precision(runs text[], edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.average_precision
      FROM evaluate(average_precision.runs, average_precision.edition, '{1}', average_precision.complete) e
$$;
COMMENT ON FUNCTION public.average_precision(text[], text, boolean) IS
    'Average precision (AP) per run and query, as trec_eval map -c; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.average_precision(runs text, edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM average_precision(run_list(average_precision.runs), average_precision.edition, average_precision.complete) m
$$;
COMMENT ON FUNCTION public.average_precision(text, text, boolean) IS
    'Average precision (AP) per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
