-- evaluate_runs: means of evaluate over the queries of the edition, one row per run and cutoff; queries is the number
-- of queries averaged.
--
-- Not written as a query over evaluate, because here the parallel workers already form the sums.
CREATE OR REPLACE FUNCTION evaluate_runs(runs text[], edition text, cutoffs integer[] DEFAULT '{10}',
                                         complete boolean DEFAULT true)
RETURNS TABLE (run text, cutoff integer, queries bigint, ndcg double precision, precision_at double precision,
               recall_at double precision, reciprocal_rank double precision, average_precision double precision,
               bpref double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    plan record;
BEGIN
    PERFORM evaluation_keys(evaluate_runs.runs, evaluate_runs.edition, evaluate_runs.cutoffs);
    SELECT * INTO plan FROM score_plan(
        evaluate_runs.runs, evaluate_runs.edition, evaluate_names(evaluate_runs.cutoffs), 1, false, NULL, 'trec_eval 9',
        true, true);
    RETURN QUERY
    SELECT n.run, c.cutoff, sum(e.number)::bigint, sum(e.scores[3 * c.i + 1]) / sum(e.number),
           sum(e.scores[3 * c.i + 2]) / sum(e.number),
           sum(e.scores[3 * c.i + 3]) / sum(e.number), sum(e.scores[1]) / sum(e.number),
           sum(e.scores[2]) / sum(e.number), sum(e.scores[3]) / sum(e.number)
      FROM score_runs(plan.shares, plan.statement, plan.edition_id, plan.query_ids, plan.run_ids, plan.cutoffs,
                      plan.numbers,
                      plan.levels, evaluate_runs.complete, NULL, 'trec_eval 9', plan.stored_ids,
                      plan.stored_places, true) e
      JOIN st1_runs n ON n.id = e.run
     CROSS JOIN unnest(evaluate_runs.cutoffs) WITH ORDINALITY AS c (cutoff, i)
     GROUP BY n.run, c.cutoff, c.i;
END
$$;
COMMENT ON FUNCTION evaluate_runs(text[], text, integer[], boolean) IS
    'Means of evaluate over the queries of an edition, one row per run and cutoff; queries is the number averaged';
