-- evaluate_runs: the means of evaluate over the queries of the edition, one row per run and cutoff; queries tells over how many.
--
-- The mean is formed in the parallel processes already: it is not written as a query over evaluate.
CREATE OR REPLACE FUNCTION evaluate_runs(runs text[], edition text, cutoffs integer[] DEFAULT '{10}', complete boolean DEFAULT true)
RETURNS TABLE (run text, cutoff integer, queries bigint, ndcg double precision, precision_at double precision,
               recall_at double precision, reciprocal_rank double precision, average_precision double precision, bpref double precision)
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET parallel_setup_cost = 0
SET parallel_tuple_cost = 0
AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(evaluate_runs.runs, evaluate_runs.edition, evaluate_runs.cutoffs);
    RETURN QUERY
    SELECT n.run, e.cutoff, e.queries, e.ndcg, e.precision_at, e.recall_at, e.reciprocal_rank, e.average_precision, e.bpref
      FROM (SELECT e.run, e.cutoff, count(*) AS queries, avg(e.ndcg) AS ndcg, avg(e.precision_at) AS precision_at,
                   avg(e.recall_at) AS recall_at, avg(e.reciprocal_rank) AS reciprocal_rank,
                   avg(e.average_precision) AS average_precision, avg(e.bpref) AS bpref
              FROM evaluate_shares(key.edition_id, key.query_ids, key.run_ids, evaluate_runs.cutoffs, evaluate_runs.complete) e
             GROUP BY e.run, e.cutoff) e
      JOIN st1_runs n ON n.id = e.run;
END
$$;
COMMENT ON FUNCTION evaluate_runs(text[], text, integer[], boolean) IS 'The means of evaluate per run over the queries of an edition';
