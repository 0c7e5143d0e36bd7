-- reciprocal_rank: reciprocal rank of runs, one row per run and query of the edition; unordered.
--
--   RR = 1 / rank of the first relevant document
--
-- Equal to trec_eval 9's recip_rank with -c. This is one column of evaluate; see there for details.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION public.reciprocal_rank(runs text[], edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.reciprocal_rank
      FROM evaluate(reciprocal_rank.runs, reciprocal_rank.edition, '{1}', reciprocal_rank.complete) e
$$;
COMMENT ON FUNCTION public.reciprocal_rank(text[], text, boolean) IS
    'Reciprocal rank (RR) per run and query, as trec_eval recip_rank -c; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.reciprocal_rank(runs text, edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value
      FROM reciprocal_rank(run_list(reciprocal_rank.runs), reciprocal_rank.edition, reciprocal_rank.complete) m
$$;
COMMENT ON FUNCTION public.reciprocal_rank(text, text, boolean) IS
    'Reciprocal rank (RR) per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
