-- scores: values of measures of runs, one row per run, query of the edition and measure; unordered. All analyses are
-- based on it.
--
--   measures  names in the syntax of trec_eval (ndcg_cut_10, P.5,10, all_trec) or ir_measures (nDCG@10, P(rel=2)@5),
--             see parse_measures and docs/background/evaluation.md. The column measure repeats the name, or has
--             trec_eval's name if the name has several values
--   runs      run names; an empty array means all. A run with imported scores only (st1_scores) returns those, by
--             trec_eval's names
--   complete  true: a query for which the run has no ranking counts as an empty ranking (trec_eval -c); false: omit it
--   relevance_level, judged_only, max_rank, rules
--             trec_eval's -l, -J, -M, and version 9 or 10; see score_plan
--   query_set  only the judged queries of a set, as for the function query_set
--
-- Measures of subtopics (alpha_nDCG@20) have a row for each query with subtopic judgments. Those of samples (xinfAP)
-- have a row for each judged query with strata; sampled_scores returns their standard errors.
--
-- The values of gm_map and gm_bpref per query are logarithms; mean_scores turns them into geometric means.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure, IR201 cutoff
-- below 1, IR202 another parameter out of range, or no query of the set is judged, IR405 no subtopic judgments,
-- or only those.
CREATE OR REPLACE FUNCTION public.scores(
    runs text[], edition text, measures text[], complete boolean DEFAULT true, relevance_level integer DEFAULT 1,
    judged_only boolean DEFAULT false, max_rank integer DEFAULT NULL, rules text DEFAULT 'trec_eval 9',
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    plan record;
BEGIN
    FOR plan IN
        SELECT * FROM score_plan(scores.runs, scores.edition, scores.measures, scores.relevance_level,
                                 scores.judged_only, scores.max_rank, scores.rules,
                                 false, true, scores.query_set)
    LOOP
        IF plan.sampled AND cardinality(plan.run_ids) > 0 THEN
            RETURN QUERY
            SELECT s.run, s.query, s.measure, s.value
              FROM sampled_scores(ARRAY(SELECT n.run FROM st1_runs n WHERE n.id = ANY (plan.run_ids)), scores.edition,
                                  plan.names, scores.complete, scores.relevance_level, scores.max_rank,
                                  scores.query_set) s;
        END IF;
        RETURN QUERY
        SELECT n.run, q.query, v.measure, v.value
          FROM score_runs(plan.shares, plan.statement, plan.edition_id, plan.query_ids, plan.run_ids,
                          plan.cutoffs, plan.numbers, plan.levels, scores.complete, scores.max_rank, scores.rules,
                          plan.stored_ids, plan.stored_places, false, plan.part) e
          JOIN st1_runs n ON n.id = e.run
          JOIN st1_queries q ON q.id = e.query
         CROSS JOIN LATERAL unnest(plan.names, e.scores) AS v (measure, value)
         WHERE NOT plan.sampled;
        IF cardinality(plan.known_ids) > 0 THEN
            RETURN QUERY SELECT *
                FROM known_scores(plan.known_ids, plan.edition_id, plan.query_ids, plan.names, plan.trec_names,
                                  scores.complete);
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION public.scores(text[], text, text[], boolean, integer, boolean, integer, text, text) IS
    'Values of measures in the syntax of trec_eval or ir_measures, per run and query of an edition';
