-- corrected_scores: means of runs by judgments of many queries (labels, for example those of a language model),
-- corrected by judgments of few of these queries (by people). Highest corrected value first.
--
-- The items of corrected_mean are the queries: y their values by the judgments of people, f and g by the labels. A
-- value is that of the measure, or with a baseline that of the run minus that of the baseline. n queries are judged by
-- people, labelled by the labels, which have to judge the n as well. The interval is valid for any labels, if the n
-- queries are a random sample.
--
--   query_set  only the queries of a set (function query_set)
--
-- Raises IR101, IR102, IR103, IR108 (score_grid), IR201 alpha outside 0 to 1, IR405 people judged fewer than two
-- queries, or one that the labels do not judge.
CREATE OR REPLACE FUNCTION corrected_scores(
    labels text, people text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', baseline text DEFAULT NULL,
    alpha double precision DEFAULT 0.05, query_set text DEFAULT 'all')
RETURNS TABLE (run text, corrected double precision, low double precision, high double precision,
               se double precision, weight double precision, by_labels double precision, by_people double precision,
               people_se double precision, n integer, labelled integer, worth double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    wanted text[] := corrected_scores.runs;
    judged CONSTANT integer[] := edition_queries(corrected_scores.people, corrected_scores.query_set);
    people_only text;
    sampled integer;
BEGIN
    IF corrected_scores.alpha IS NULL OR corrected_scores.alpha <= 0 OR corrected_scores.alpha >= 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('alpha is %s', coalesce(corrected_scores.alpha::text, 'NULL')),
            HINT = 'The interval has confidence 1 - alpha: use a number between 0 and 1, such as 0.05.';
    END IF;
    IF corrected_scores.baseline IS NOT NULL THEN
        PERFORM run_keys(ARRAY[corrected_scores.baseline]);
        wanted := CASE WHEN wanted = '{}' THEN wanted ELSE wanted || corrected_scores.baseline END;
    END IF;
    sampled := cardinality(judged);
    SELECT min(q.query COLLATE "C") INTO people_only FROM st1_queries q
     WHERE q.id = ANY (judged)
       AND q.id <> ALL (edition_queries(corrected_scores.labels, corrected_scores.query_set));
    IF people_only IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('query %L is judged by %L but not by %L', people_only, corrected_scores.people,
                             corrected_scores.labels),
            HINT = 'Correcting needs labels for all queries that people judged: judge it with the labels'' judge, or '
                   'leave it out with a query set.';
    ELSIF sampled < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%L judges %s', corrected_scores.people, counted(sampled, 'query', 'queries')),
            HINT = 'An interval needs two queries judged by people, and more for a useful one.';
    END IF;
    RETURN QUERY
    WITH label AS MATERIALIZED (
        SELECT g.run, g.query, g.value
          FROM score_grid(wanted, corrected_scores.labels, corrected_scores.measure, 'zero',
                          corrected_scores.query_set) g),
    person AS MATERIALIZED (
        SELECT g.run, g.query, g.value
          FROM score_grid(wanted, corrected_scores.people, corrected_scores.measure, 'zero',
                          corrected_scores.query_set) g),
    pair AS (
        SELECT l.run, p.value - coalesce(pb.value, 0) AS y, l.value - coalesce(lb.value, 0) AS f
          FROM label l
          LEFT JOIN person p ON p.run = l.run AND p.query = l.query
          LEFT JOIN label lb ON lb.run = corrected_scores.baseline AND lb.query = l.query
          LEFT JOIN person pb ON pb.run = corrected_scores.baseline AND pb.query = l.query
         WHERE l.run IS DISTINCT FROM corrected_scores.baseline),
    listed AS (
        SELECT s.run, count(*) AS labelled, array_agg(s.y ORDER BY s.y, s.f) FILTER (WHERE s.y IS NOT NULL) AS y,
               array_agg(s.f ORDER BY s.y, s.f) FILTER (WHERE s.y IS NOT NULL) AS f,
               coalesce(array_agg(s.f ORDER BY s.f) FILTER (WHERE s.y IS NULL), '{}') AS g
          FROM pair s GROUP BY s.run)
    SELECT l.run, c.corrected, c.low, c.high, c.se, c.weight, c.by_labels, c.by_people, c.people_se,
           cardinality(l.y), l.labelled::integer, c.worth
      FROM listed l
     CROSS JOIN LATERAL corrected_mean(l.y, l.f, l.g, corrected_scores.alpha) c
     ORDER BY c.corrected DESC, l.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION corrected_scores(text, text, text, text[], text, double precision, text) IS
    'Means of runs by judgments of many queries, such as those of a language model, corrected by judgments of people '
    'for some of the queries: with intervals, by prediction-powered inference';
