-- mean_scores_as_of: scores_as_of aggregated over the queries as mean_scores does: one row per run and measure;
-- unordered. Parameters and errors as in scores_as_of.
CREATE OR REPLACE FUNCTION mean_scores_as_of(
    runs text[], edition text, measures text[], day text, complete boolean DEFAULT true,
    relevance_level integer DEFAULT 1, judged_only boolean DEFAULT false, max_rank integer DEFAULT NULL,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, measure text, value double precision, queries bigint)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT s.run, s.measure,
           CASE k.mean WHEN 'sum' THEN sum(s.value) WHEN 'geometric' THEN exp(sum(s.value) / count(*))
                       ELSE round(sum(s.value) / count(*) * 1e13) / 1e13 END,
           count(*)
      FROM (SELECT DISTINCT a.*  -- a measure may be named twice
              FROM scores_as_of(runs, edition, measures, day, complete, relevance_level, judged_only, max_rank,
                                query_set) a) s
      JOIN (SELECT DISTINCT v.measure, v.mean
              FROM (VALUES (false), (true)) AS b (by_subtopic)
             CROSS JOIN LATERAL measure_plan(mean_scores_as_of.measures, mean_scores_as_of.relevance_level,
                                             mean_scores_as_of.judged_only, mean_scores_as_of.max_rank, 'trec_eval 9',
                                             b.by_subtopic) p
             CROSS JOIN LATERAL unnest(p.names, p.mean_kinds) AS v (measure, mean)) k
           USING (measure)
     GROUP BY s.run, s.measure, k.mean
$$;
COMMENT ON FUNCTION mean_scores_as_of(text[], text, text[], text, boolean, integer, boolean, integer, text) IS
'Measures of runs over the queries of an edition, as if the collection had been its snapshot of a day';
