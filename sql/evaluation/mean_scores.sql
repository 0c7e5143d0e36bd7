-- mean_scores: measures of runs aggregated over the queries of the edition as trec_eval does: one row per run and
-- measure; unordered.
--
-- Most measures are averaged. num_* are summed; gm_map and gm_bpref are geometric means (values below 0.00001 count as
-- 0.00001). queries is the number of queries aggregated. Means are rounded to 13 decimals: parallel workers add in any
-- order, and runs with equal scores must have equal means. Parameters and errors as in scores. Not written as a query
-- over scores, because here the parallel workers already form the sums.
CREATE OR REPLACE FUNCTION public.mean_scores(
    runs text[], edition text, measures text[], complete boolean DEFAULT true, relevance_level integer DEFAULT 1,
    judged_only boolean DEFAULT false, max_rank integer DEFAULT NULL, rules text DEFAULT 'trec_eval 9',
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, measure text, value double precision, queries bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    plan record;
BEGIN
    FOR plan IN
        SELECT * FROM score_plan(mean_scores.runs, mean_scores.edition, mean_scores.measures,
                                 mean_scores.relevance_level, mean_scores.judged_only, mean_scores.max_rank,
                                 mean_scores.rules, true, true, mean_scores.query_set)
    LOOP
        IF plan.sampled AND cardinality(plan.run_ids) > 0 THEN
            RETURN QUERY
            SELECT s.run, s.measure, round(avg(s.value) * 1e13) / 1e13, count(*)
              FROM sampled_scores(ARRAY(SELECT n.run FROM st1_runs n WHERE n.id = ANY (plan.run_ids)),
                                  mean_scores.edition, plan.names, mean_scores.complete,
                                  mean_scores.relevance_level, mean_scores.max_rank, mean_scores.query_set) s
             GROUP BY s.run, s.measure;
        END IF;
        RETURN QUERY
        SELECT n.run, m.measure, CASE m.mean WHEN 'sum' THEN m.total WHEN 'geometric' THEN exp(m.total / m.number)
                                        ELSE round(m.total / m.number * 1e13) / 1e13 END,
               m.number
          FROM (SELECT e.run, v.i, v.measure, v.mean, sum(v.total) AS total, sum(e.number)::bigint AS number
                  FROM score_runs(plan.shares, plan.statement, plan.edition_id, plan.query_ids, plan.run_ids,
                                  plan.cutoffs, plan.numbers, plan.levels, mean_scores.complete,
                                  mean_scores.max_rank, mean_scores.rules,
                                  plan.stored_ids, plan.stored_places, true, plan.part) e
                 CROSS JOIN LATERAL unnest(plan.names, plan.mean_kinds, e.scores) WITH ORDINALITY AS v (measure,
                         mean, total, i)
                 GROUP BY e.run, v.i, v.measure, v.mean) m
          JOIN st1_runs n ON n.id = m.run
         WHERE NOT plan.sampled;
        IF cardinality(plan.known_ids) > 0 THEN
            RETURN QUERY
            SELECT k.run, k.measure, CASE WHEN v.mean = 'sum' THEN sum(k.value)
                                          ELSE round(avg(k.value) * 1e13) / 1e13 END, count(*)
              FROM known_scores(plan.known_ids, plan.edition_id, plan.query_ids, plan.names, plan.trec_names,
                                mean_scores.complete) k
              JOIN (SELECT DISTINCT measure, mean
                      FROM unnest(plan.names, plan.mean_kinds) AS v (measure, mean)) v USING (measure)
             GROUP BY k.run, k.measure, v.mean;
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION public.mean_scores(text[], text, text[], boolean, integer, boolean, integer, text, text) IS
    'Measures of runs over the queries of an edition, as trec_eval aggregates them (mean, sum or geometric mean); '
    'one row per run and measure';
