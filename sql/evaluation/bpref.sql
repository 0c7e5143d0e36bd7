-- bpref: binary preference of runs, one row per run and query of the edition; in no order.
--
--   Bpref = sum over relevant documents of 1 - min(n, R) / min(N, R), divided by R, the number of relevant ones;
--           n of the N documents
--           judged not relevant stand above (Buckley & Voorhees, SIGIR 2004)
--
-- Equal to trec_eval 9's bpref under -c; more at evaluate, of which it is one column.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION public.bpref(runs text[], edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.bpref FROM evaluate(bpref.runs, bpref.edition, '{1}', bpref.complete) e
$$;
COMMENT ON FUNCTION public.bpref(text[], text, boolean) IS 'Bpref per run and query, as trec_eval bpref -c; in [0, 1]';

-- One run by its name.
CREATE OR REPLACE FUNCTION public.bpref(runs text, edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value FROM bpref(run_list(bpref.runs), bpref.edition, bpref.complete) m
$$;
COMMENT ON FUNCTION public.bpref(text, text, boolean) IS
    'Bpref of one run per query, or of several written as ''{bm25,dense}''';
