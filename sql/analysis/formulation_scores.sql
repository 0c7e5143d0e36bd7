-- formulation_scores: values of one measure for runs on the queries of topics with several judged queries: the
-- formulations of an information need. One row per run and query; unordered.
--
--   runs, query_set  as in score_grid. A query without results scores 0
--
-- Raises IR101, IR102, IR103, IR108 (score_grid), IR202 no query of the set is judged, IR405 no topic has two judged
-- queries.
CREATE OR REPLACE FUNCTION formulation_scores(
    runs text[], edition text, measure text DEFAULT 'nDCG@10', query_set text DEFAULT 'all')
RETURNS TABLE (run text, topic text, query text, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH grid AS MATERIALIZED (
        SELECT g.run, g.query, g.value
          FROM score_grid(formulation_scores.runs, formulation_scores.edition, formulation_scores.measure,
                          query_set => formulation_scores.query_set) g),
    several AS (
        SELECT q.query, t.topic, count(*) OVER (PARTITION BY q.topic) AS formulations
          FROM (SELECT DISTINCT g.query FROM grid g) u
          JOIN st1_queries q ON q.query = u.query
          JOIN st1_topics t ON t.id = q.topic)
    SELECT g.run, s.topic, g.query, g.value FROM grid g JOIN several s ON s.query = g.query WHERE s.formulations > 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no topic has two queries that %L judges', formulation_scores.edition),
            HINT = 'Variation needs several formulations of a topic: load topics with their queries, and judge two or '
                   'more queries of one topic.';
    END IF;
END
$$;
COMMENT ON FUNCTION formulation_scores(text[], text, text, text) IS
    'Values of one measure for runs on the queries of topics with several judged queries';
