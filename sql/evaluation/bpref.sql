-- bpref: binary preference of runs, one row per run and query of the edition; unordered.
--
--   Bpref = sum over relevant documents of 1 - min(n, R) / min(N, R), divided by R, the number of relevant documents;
--           n of the N documents judged not relevant are ranked above (Buckley & Voorhees, SIGIR 2004)
--
-- Equal to trec_eval 9's bpref with -c. This is one column of evaluate; see there for details.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION public.bpref(runs text[], edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.bpref FROM evaluate(bpref.runs, bpref.edition, '{1}', bpref.complete) e
$$;
COMMENT ON FUNCTION public.bpref(text[], text, boolean) IS
    'Binary preference (Bpref) per run and query, as trec_eval bpref -c; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.bpref(runs text, edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value FROM bpref(run_list(bpref.runs), bpref.edition, bpref.complete) m
$$;
COMMENT ON FUNCTION public.bpref(text, text, boolean) IS
    'Binary preference (Bpref) per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
