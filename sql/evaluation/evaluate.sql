-- evaluate: measures of runs by one edition of the judgments, one row per run, query of the edition and cutoff;
-- unordered.
--
--   precision_at       relevant documents among the first cutoff, divided by cutoff
--   recall_at          relevant documents among the first cutoff, divided by R, the relevant documents of the query
--   ndcg               DCG / ideal DCG at the cutoff, DCG = sum over ranks r of max(rel, 0) / log2(r + 1)
--                      (Järvelin & Kekäläinen, ACM TOIS 20(4), 2002)
--   reciprocal_rank    1 / rank of the first relevant document
--   average_precision  sum over relevant documents of the precision at their rank, divided by R
--   bpref              sum over relevant documents of 1 - min(n, R) / min(N, R), divided by R, where n of the N
--                      documents judged not relevant are ranked above (Buckley & Voorhees, SIGIR 2004)
--
-- The last three use the whole ranking, regardless of the cutoff. Equal to trec_eval 9's ndcg_cut, P, recall,
-- recip_rank, map and bpref with -c: a run scores 0 for a query for which it has no ranking. If complete is false, such
-- queries are omitted. A document is relevant if rel >= 1; a negative rel counts as not judged; a query without
-- relevant documents scores 0.
--
-- runs: run names; an empty array means all. For other measures use scores.
-- Raises IR101, IR102, IR201 (evaluation_keys).
CREATE OR REPLACE FUNCTION public.evaluate(runs text[], edition text, cutoffs integer[] DEFAULT '{10}',
                                           complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, cutoff integer, ndcg double precision, precision_at double precision,
               recall_at double precision,
               reciprocal_rank double precision, average_precision double precision, bpref double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    plan record;
BEGIN
    PERFORM evaluation_keys(evaluate.runs, evaluate.edition, evaluate.cutoffs);
    SELECT * INTO plan FROM score_plan(
        evaluate.runs, evaluate.edition, evaluate_names(evaluate.cutoffs), 1, false, NULL, 'trec_eval 9', false, true);
    RETURN QUERY
    SELECT n.run, q.query, c.cutoff, e.scores[3 * c.i + 1], e.scores[3 * c.i + 2], e.scores[3 * c.i + 3], e.scores[1],
           e.scores[2], e.scores[3]
      FROM score_runs(plan.shares, plan.statement, plan.edition_id, plan.query_ids, plan.run_ids, plan.cutoffs,
                      plan.numbers,
                      plan.levels, evaluate.complete, NULL, 'trec_eval 9', plan.stored_ids, plan.stored_places, false) e
      JOIN st1_runs n ON n.id = e.run
      JOIN st1_queries q ON q.id = e.query
     CROSS JOIN unnest(evaluate.cutoffs) WITH ORDINALITY AS c (cutoff, i);
END
$$;
COMMENT ON FUNCTION public.evaluate(text[], text, integer[], boolean) IS
    'nDCG, P and R at each cutoff, and RR, AP and Bpref, per run and query of an edition, as trec_eval -c; in [0, 1]';
