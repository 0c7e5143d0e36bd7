-- variance_sources: analysis of variance of the scores of runs on formulations of topics (formulation_scores): how much
-- is due to the topic, to its formulation, to the system and to their interactions (Bailey, Moffat, Scholer & Thomas,
-- SIGIR 2015; Culpepper, Faggioli, Ferro & Kurland, TOIS 40(1), 2021).
--
-- y[i, j, q] is the value of system i on query q of topic j, a dot a mean over queries or systems:
--
--   topic                 sum of (y[., j, .] - y[., ., .])²
--   formulation           sum of (y[., j, q] - y[., j, .])²; queries are nested in topics
--   system                sum of (y[i, ., .] - y[., ., .])²
--   system x topic        sum of (y[i, j, .] - y[i, ., .] - y[., j, .] + y[., ., .])²
--   system x formulation  sum of (y[i, j, q] - y[i, j, .] - y[., j, q] + y[., j, .])²; the residual
--
-- Each sum is over all values, so that a topic with more queries weighs more. Every system has a value for every query:
-- the sums of squares add up to that of all values, whatever the numbers of queries.
--
--   share      sum of squares / that of all values (eta²)
--   f          mean square / that of the residual, with df and the residual's df
--   omega      partial omega² = df (f - 1) / (df (f - 1) + number of values); from 0.14 an effect is called large
--
-- NULL where the residual has no degrees of freedom (one run) or is 0. Raises the errors of formulation_scores.
CREATE OR REPLACE FUNCTION variance_sources(
    runs text[], edition text, measure text DEFAULT 'nDCG@10', query_set text DEFAULT 'all')
RETURNS TABLE (source text, df integer, squares double precision, share double precision, f double precision,
               omega double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH value AS MATERIALIZED (
        SELECT f.*, avg(f.value) OVER () AS grand, avg(f.value) OVER (PARTITION BY f.topic) AS of_topic,
               avg(f.value) OVER (PARTITION BY f.topic, f.query) AS of_query,
               avg(f.value) OVER (PARTITION BY f.run) AS of_run,
               avg(f.value) OVER (PARTITION BY f.run, f.topic) AS of_both
          FROM formulation_scores(variance_sources.runs, variance_sources.edition, variance_sources.measure,
                                  variance_sources.query_set) f),
    size AS (
        SELECT count(*) AS n, count(DISTINCT v.run) AS m, count(DISTINCT v.topic) AS t, count(DISTINCT v.query) AS q,
               sum((v.value - v.grand) ^ 2) AS total
          FROM value v),
    part AS (
        SELECT p.*
          FROM size s
         CROSS JOIN (SELECT sum((v.of_topic - v.grand) ^ 2) AS topic, sum((v.of_query - v.of_topic) ^ 2) AS formulation,
                            sum((v.of_run - v.grand) ^ 2) AS system,
                            sum((v.of_both - v.of_run - v.of_topic + v.grand) ^ 2) AS by_topic,
                            sum((v.value - v.of_both - v.of_query + v.of_topic) ^ 2) AS residual
                       FROM value v) u
         CROSS JOIN LATERAL (VALUES (1, 'topic', s.t - 1, u.topic), (2, 'formulation', s.q - s.t, u.formulation),
                                    (3, 'system', s.m - 1, u.system),
                                    (4, 'system x topic', (s.m - 1) * (s.t - 1), u.by_topic),
                                    (5, 'system x formulation', (s.m - 1) * (s.q - s.t), u.residual))
                            AS p (place, source, df, squares)),
    error AS (SELECT nullif(p.squares, 0) / nullif(p.df, 0) AS square FROM part p WHERE p.place = 5)
    SELECT p.source, p.df::integer, p.squares, p.squares / nullif(s.total, 0), r.f,
           p.df * (r.f - 1) / (p.df * (r.f - 1) + s.n)
      FROM part p CROSS JOIN size s CROSS JOIN error e
     CROSS JOIN LATERAL (SELECT CASE WHEN p.place < 5 THEN p.squares / nullif(p.df, 0) / e.square END AS f) r
     ORDER BY p.place
$$;
COMMENT ON FUNCTION variance_sources(text[], text, text, text) IS
    'Analysis of variance of scores by topic, formulation, system and their interactions';
