-- reciprocal_rank: reciprocal rank of runs, one row per run and query of the edition; in no order.
--
--   RR = 1 / rank of the first relevant document
--
-- Equal to trec_eval 9's recip_rank under -c; more at evaluate, of which it is one column.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION public.reciprocal_rank(runs text[], edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.reciprocal_rank
      FROM evaluate(reciprocal_rank.runs, reciprocal_rank.edition, '{1}', reciprocal_rank.complete) e
$$;
COMMENT ON FUNCTION public.reciprocal_rank(text[], text, boolean) IS
'RR per run and query, as trec_eval recip_rank -c; in [0, 1]';

-- One run by its name.
CREATE OR REPLACE FUNCTION public.reciprocal_rank(runs text, edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM reciprocal_rank(run_list(reciprocal_rank.runs), reciprocal_rank.edition, reciprocal_rank.complete) m
$$;
COMMENT ON FUNCTION public.reciprocal_rank(text, text, boolean) IS
    'RR of one run per query, or of several written as ''{bm25,dense}''';
