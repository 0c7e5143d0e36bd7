-- sampled_scores: measures of runs estimated from the judgments of a sampled pool, with standard errors: one row per
-- run, query of the sample and measure; unordered.
--
--   measures         xinfAP, infNDCG, ipw_P@k, ipw_R@k, ipw_nDCG@k (sampled_precisions, sampled_sums)
--   complete, relevance_level, max_rank, query_set
--                    as in scores. max_rank also bounds the ideal ranking; sample_eval uses 1,000
--   standard_error   of the value, for samples drawn from the same pool; 0 if each stratum is judged whole; otherwise
--                    NULL for infNDCG and ipw_nDCG, whose ideal ranking is unknown (sampled_sums). That of a mean over
--                    queries is sqrt(sum(standard_error ^ 2)) / count(*), as in
--
--   SELECT run, avg(value), sqrt(sum(standard_error ^ 2)) / count(*)
--     FROM sampled_scores('{}', 'sampled', '{xinfAP}') GROUP BY run;
--
--   pooled           divide by the mean of the divisors over queries: the mean of the values is then the ratio of two
--                    sums over queries, in which a query weighs as much as its relevant documents. Nearly unbiased for
--                    ipw_R, also if the sample has few relevant documents of each query (combined ratio estimator:
--                    Cochran, Sampling Techniques, 1977, section 6.11)
--
-- Unless pooled, scores and mean_scores return the same values. Measured queries are those with strata (qrels_strata)
-- and judgments.
-- Raises IR101, IR102, IR103, IR202 (evaluation_keys), IR108, IR201, IR202 (measure_plan), IR202 another measure, IR405
-- the edition has no strata.
CREATE OR REPLACE FUNCTION sampled_scores(
    runs text[], edition text, measures text[], complete boolean DEFAULT true, relevance_level integer DEFAULT 1,
    max_rank integer DEFAULT NULL, query_set text DEFAULT 'all', pooled boolean DEFAULT false)
RETURNS TABLE (run text, query text, measure text, value double precision, standard_error double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    plan record;
    key record;
    one record;
    query_ids integer[];
BEGIN
    SELECT * INTO plan FROM measure_plan(sampled_scores.measures, sampled_scores.relevance_level, false,
                                         sampled_scores.max_rank, 'trec_eval 9', sampled => true);
    IF plan.left_out IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not estimated from samples', plan.left_out),
            HINT = 'Use xinfAP, infNDCG, ipw_P@k, ipw_R@k or ipw_nDCG@k; scores() computes the other measures.';
    END IF;
    SELECT * INTO key FROM evaluation_keys(sampled_scores.runs, sampled_scores.edition, '{1}',
                                           sampled_scores.query_set);
    PERFORM refuse_unsampled(key.edition_id, plan.names[1]);
    query_ids := ARRAY(SELECT unnest(key.query_ids)
                       INTERSECT SELECT s.query FROM qrels_strata s WHERE s.edition = key.edition_id);
    FOR one IN
        SELECT m.name, m.kind, nullif(m.cutoff, 0) AS cutoff, plan.levels[m.place] AS level
          FROM unnest(plan.names, plan.kinds, plan.cutoffs, plan.places) AS m (name, kind, cutoff, place)
    LOOP
        RETURN QUERY
        SELECT n.run, q.query, one.name, v.value, sqrt(v.variance)
          FROM (SELECT * FROM sampled_precisions(
                    key.edition_id, query_ids, key.run_ids, coalesce(sampled_scores.max_rank, 2147483647), one.level,
                    sampled_scores.pooled)
                 WHERE one.kind = 'xinfap'
                UNION ALL
                SELECT * FROM sampled_sums(
                    one.kind, key.edition_id, query_ids, key.run_ids,
                    coalesce(one.cutoff, sampled_scores.max_rank, 2147483647), one.level,
                    coalesce(sampled_scores.max_rank, 2147483647), sampled_scores.pooled)
                 WHERE one.kind <> 'xinfap') v
          JOIN st1_runs n ON n.id = v.run
          JOIN st1_queries q ON q.id = v.query
         WHERE sampled_scores.complete
            OR EXISTS (SELECT FROM st1_rankings k WHERE k.run = v.run AND k.query = v.query);
    END LOOP;
END
$$;
COMMENT ON FUNCTION sampled_scores(text[], text, text[], boolean, integer, integer, text, boolean) IS
    'Measures of runs estimated from the judgments of a sampled pool, with standard errors, per run, query and measure';
