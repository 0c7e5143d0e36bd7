-- leaderboard: official measures of runs by one edition, means over its queries; best nDCG@10 first.
--
-- Columns have trec_eval's names in lower case. judged_10 is the share of judged documents among the first ten, which
-- shows how reliable the other columns are. For other measures use mean_scores, for other cutoffs evaluate_runs. runs:
-- run names; an empty array means all. query_set: only the judged queries of a set (query_set).
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set.
CREATE OR REPLACE FUNCTION public.leaderboard(edition text, runs text[] DEFAULT '{}', query_set text DEFAULT 'all')
RETURNS TABLE (run text, ndcg_cut_10 double precision, ndcg_cut_20 double precision, p_10 double precision,
               p_20 double precision,
               recip_rank double precision, bpref double precision, map double precision, recall_100 double precision,
               judged_10 double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.run, max(m.value) FILTER (WHERE m.measure = 'ndcg_cut_10') AS best,
           max(m.value) FILTER (WHERE m.measure = 'ndcg_cut_20'),
           max(m.value) FILTER (WHERE m.measure = 'P_10'), max(m.value) FILTER (WHERE m.measure = 'P_20'),
           max(m.value) FILTER (WHERE m.measure = 'recip_rank'), max(m.value) FILTER (WHERE m.measure = 'bpref'),
           max(m.value) FILTER (WHERE m.measure = 'map'), max(m.value) FILTER (WHERE m.measure = 'recall_100'),
           max(m.value) FILTER (WHERE m.measure = 'judged_10')
      FROM mean_scores(leaderboard.runs, leaderboard.edition,
                       '{ndcg_cut_10,ndcg_cut_20,P_10,P_20,recip_rank,bpref,map,recall_100,judged_10}',
                       query_set => leaderboard.query_set) m
     GROUP BY m.run
     ORDER BY best DESC NULLS LAST, m.run COLLATE "C"
$$;
COMMENT ON FUNCTION public.leaderboard(text, text[], text) IS
    'Official measures of runs by one edition, means over its queries; best nDCG@10 first';
