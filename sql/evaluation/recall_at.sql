-- recall_at: recall of runs, one row per run and query of the edition; unordered.
--
--   R@cutoff = relevant documents among the first cutoff, divided by the relevant documents of the query
--
-- Equal to trec_eval 9's recall with -c. This is one column of evaluate; see there for details.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.recall_at(runs text[], edition text, cutoff integer DEFAULT 10,
                                            complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.recall_at
      FROM evaluate(recall_at.runs, recall_at.edition, ARRAY[recall_at.cutoff], recall_at.complete) e
$$;
COMMENT ON FUNCTION public.recall_at(text[], text, integer, boolean) IS
    'Recall (R@cutoff) per run and query, as trec_eval recall -c; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.recall_at(runs text, edition text, cutoff integer DEFAULT 10,
                                            complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM recall_at(run_list(recall_at.runs), recall_at.edition, recall_at.cutoff, recall_at.complete) m
$$;
COMMENT ON FUNCTION public.recall_at(text, text, integer, boolean) IS
    'Recall (R@cutoff) per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
