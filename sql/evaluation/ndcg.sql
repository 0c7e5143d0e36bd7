-- ndcg: normalised discounted cumulative gain of runs, one row per run and query of the edition; unordered.
--
--   DCG@k  = sum over ranks r <= k of max(rel, 0) / log2(r + 1)
--   nDCG@k = DCG@k / ideal DCG@k; 0 for a query without a relevant document
--            (Järvelin & Kekäläinen, ACM TOIS 20(4), 2002)
--
-- Equal to trec_eval 9's ndcg_cut with -c. This is one column of evaluate; see there for details.
-- Raises IR101 no such run, IR102 no such edition, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.ndcg(runs text[], edition text, cutoff integer DEFAULT 10,
                                       complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.run, e.query, e.ndcg FROM evaluate(ndcg.runs, ndcg.edition, ARRAY[ndcg.cutoff], ndcg.complete) e
$$;
COMMENT ON FUNCTION public.ndcg(text[], text, integer, boolean) IS
    'Normalised discounted cumulative gain (nDCG@cutoff) per run and query, as trec_eval ndcg_cut -c; in [0, 1]';

-- The same for one run name.
CREATE OR REPLACE FUNCTION public.ndcg(runs text, edition text, cutoff integer DEFAULT 10,
                                       complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, m.query, m.value FROM ndcg(run_list(ndcg.runs), ndcg.edition, ndcg.cutoff, ndcg.complete) m
$$;
COMMENT ON FUNCTION public.ndcg(text, text, integer, boolean) IS
    'nDCG@cutoff per query of one run, or of several runs given as ''{bm25,dense}''; in [0, 1]';
