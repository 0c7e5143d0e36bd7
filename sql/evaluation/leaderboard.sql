-- leaderboard: the official measures of runs by one edition, means over its queries, best nDCG@10 first.
--
-- Columns by trec_eval's names, in lower case; judged_10 tells how far to trust them. More, and other cutoffs: evaluate_runs.
-- runs: their names, all if none is named. Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION leaderboard(edition text, runs text[] DEFAULT '{}')
RETURNS TABLE (run text, ndcg_cut_10 double precision, ndcg_cut_20 double precision, p_10 double precision, p_20 double precision,
               recip_rank double precision, bpref double precision, map double precision, recall_100 double precision,
               judged_10 double precision)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT e.run, max(e.ndcg) FILTER (WHERE e.cutoff = 10), max(e.ndcg) FILTER (WHERE e.cutoff = 20),
           max(e.precision_at) FILTER (WHERE e.cutoff = 10), max(e.precision_at) FILTER (WHERE e.cutoff = 20),
           max(e.reciprocal_rank), max(e.bpref), max(e.average_precision), max(e.recall_at) FILTER (WHERE e.cutoff = 100), j.judged
      FROM evaluate_runs(leaderboard.runs, leaderboard.edition, '{10,20,100}') e
      JOIN (SELECT j.run, avg(j.value) AS judged FROM judged_at(leaderboard.runs, leaderboard.edition) j GROUP BY j.run) j
        ON j.run = e.run
     GROUP BY e.run, j.judged
     ORDER BY 2 DESC, e.run COLLATE "C"
$$;
COMMENT ON FUNCTION leaderboard(text, text[]) IS 'The official measures of runs by one edition, means over its queries, best nDCG@10 first';
