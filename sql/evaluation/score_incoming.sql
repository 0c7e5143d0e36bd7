-- score_incoming: values of measures for the rankings in the temporary tables of stage_rankings, one row per run and
-- query; scores has them in the order of measures. Unordered.
--
-- Nothing is stored: the measures are computed by the statement that scores uses for stored runs (score_statement).
-- runs: the caller's run numbers. Other parameters as in scores; each measure must stand for one value.
-- Raises IR108, IR201, IR202 (measure_plan), IR202 a measure that needs subtopic judgments.
CREATE OR REPLACE FUNCTION score_incoming(
    runs integer[], measures text[], complete boolean, relevance_level integer, judged_only boolean, max_rank integer,
    rules text)
RETURNS TABLE (run integer, query integer, scores double precision[])
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    plan record;
BEGIN
    SELECT * INTO plan FROM measure_plan(score_incoming.measures, score_incoming.relevance_level,
                                         score_incoming.judged_only, score_incoming.max_rank, score_incoming.rules);
    IF plan.left_out IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s needs subtopic judgments, which files are not scored by', plan.left_out),
            HINT = 'Import the run, and the judgments with ''stc qrels import-subtopics''; then score the stored run.';
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT s.run, s.query, s.scores FROM (%s) AS s (run, query, number, scores)',
        score_statement(plan.kinds, plan.places, plan.counts, plan.levels, score_incoming.judged_only,
                        score_incoming.max_rank, score_incoming.rules, false, 'incoming_lists', 'incoming_profiles'))
        USING NULL::integer, ARRAY(SELECT i.query FROM pg_temp.incoming_grades i), plan.cutoffs, plan.numbers,
              plan.levels, score_incoming.runs, score_incoming.complete, score_incoming.max_rank, score_incoming.rules;
END
$$;
COMMENT ON FUNCTION score_incoming(integer[], text[], boolean, integer, boolean, integer, text) IS
    'Values of measures for rankings in the temporary tables of stage_rankings, one array per run and query';
