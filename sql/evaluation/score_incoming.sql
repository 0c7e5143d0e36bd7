-- score_incoming: values of measures for the rankings in the temporary tables of stage_rankings, one row per run and
-- query; scores has them in the order of measures. Unordered.
--
-- Nothing is stored: the measures are computed by the statement that scores uses for stored runs (score_statement).
--   runs      the caller's run numbers
--   subtopic_edition  key of the edition whose subtopic judgments (qrels_subtopics) the measures use; then all are
--                     measures of subtopics, and the grades in the rankings are numbers of groups (subtopic_groups)
--
-- Other parameters as in scores; each measure must stand for one value.
-- Raises IR108, IR201, IR202 (measure_plan), IR202 measures that need other judgments, or a relevance level below 1 for
-- subtopics.
CREATE OR REPLACE FUNCTION score_incoming(
    runs integer[], measures text[], complete boolean, relevance_level integer, judged_only boolean, max_rank integer,
    rules text, subtopic_edition integer DEFAULT NULL)
RETURNS TABLE (run integer, query integer, scores double precision[])
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    plan record;
    by_subtopic CONSTANT boolean := score_incoming.subtopic_edition IS NOT NULL;
BEGIN
    SELECT * INTO plan FROM measure_plan(score_incoming.measures, score_incoming.relevance_level,
                                         score_incoming.judged_only, score_incoming.max_rank, score_incoming.rules,
                                         by_subtopic);
    IF plan.left_out IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s needs %s', plan.left_out, CASE
                WHEN EXISTS (SELECT FROM parse_measures(ARRAY[plan.left_out]) m WHERE 'strata' = ANY (m.uses))
                    THEN 'judgments with strata, stored in an edition'
                WHEN by_subtopic THEN 'judgments of documents, and these are of subtopics'
                ELSE 'subtopic judgments, and these are of documents' END),
            HINT = 'Score stored runs with ''stc score'', or files with ''stc score RUN QRELS -m MEASURE''.';
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT s.run, s.query, s.scores FROM (%s) AS s (run, query, number, scores)',
        score_statement(plan.kinds, plan.places, plan.counts, plan.levels, score_incoming.judged_only,
                        score_incoming.max_rank, score_incoming.rules, false, 'incoming_lists',
                        CASE WHEN by_subtopic THEN 'subtopic_profiles' ELSE 'incoming_profiles' END))
        USING score_incoming.subtopic_edition, ARRAY(SELECT i.query FROM pg_temp.incoming_grades i), plan.cutoffs,
              plan.numbers, plan.levels, score_incoming.runs, score_incoming.complete, score_incoming.max_rank,
              score_incoming.rules;
END
$$;
COMMENT ON FUNCTION score_incoming(integer[], text[], boolean, integer, boolean, integer, text, integer) IS
    'Values of measures for rankings in the temporary tables of stage_rankings, one array per run and query';
