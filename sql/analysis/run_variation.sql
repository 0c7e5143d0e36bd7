-- run_variation: how robust runs are to the formulation of a topic, highest mean of the worst scores first.
--
-- With the values of a run on the queries of topics (formulation_scores), over topics:
--
--   mean, best, worst  means of the mean, the highest and the lowest value of each topic
--   deviation          within topics: sqrt(sum of (value - mean of the topic)² / sum of (queries - 1))
--   share              sum of (value - mean of the topic)² / sum of (value - mean of all)²: the part of the run's
--                      variance that is due to the formulation, and not to the topic; NULL if all values are equal
--   rank, worst_rank   by mean and by worst, 1 = best; equal values have the same rank
--   robustness         (queries on which the run is better than the baseline - queries on which it is worse) / queries,
--                      in [-1, 1] (Sakai, Manabe & Koyama, TALIP 4(2), 2005); NULL without a baseline
--
-- Raises the errors of formulation_scores, also for the baseline.
CREATE OR REPLACE FUNCTION run_variation(
    runs text[], edition text, measure text DEFAULT 'nDCG@10', baseline text DEFAULT NULL,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, topics integer, queries integer, mean double precision, best double precision,
               worst double precision, deviation double precision, share double precision, rank integer,
               worst_rank integer, robustness double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH value AS MATERIALIZED (
        SELECT f.*, avg(f.value) OVER (PARTITION BY f.run, f.topic) AS of_topic
          FROM formulation_scores(
                   CASE WHEN run_variation.runs <> '{}' AND run_variation.baseline IS NOT NULL
                        THEN run_variation.runs || run_variation.baseline ELSE run_variation.runs END,
                   run_variation.edition, run_variation.measure, run_variation.query_set) f),
    topic AS (
        SELECT v.run, v.topic, count(*) AS queries, min(v.of_topic) AS mean, max(v.value) AS best,
               min(v.value) AS worst, sum((v.value - v.of_topic) ^ 2) AS within
          FROM value v GROUP BY v.run, v.topic),
    spread AS (
        SELECT v.run, var_pop(v.value) * count(*) AS total,
               avg(sign(round((v.value - b.value)::numeric, 12))) AS robustness
          FROM value v
          LEFT JOIN value b
            ON b.query = v.query
           AND b.run = (SELECT n.run FROM st1_runs n
                         WHERE run_variation.baseline IS NOT NULL
                           AND n.id = (run_keys(ARRAY[run_variation.baseline]))[1])
         GROUP BY v.run)
    SELECT t.run, count(*)::integer, sum(t.queries)::integer, avg(t.mean), avg(t.best), avg(t.worst),
           sqrt(sum(t.within) / sum(t.queries - 1)), sum(t.within) / nullif(min(s.total), 0),
           (rank() OVER (ORDER BY round(avg(t.mean)::numeric, 12) DESC))::integer,
           (rank() OVER (ORDER BY round(avg(t.worst)::numeric, 12) DESC))::integer, min(s.robustness)
      FROM topic t JOIN spread s ON s.run = t.run GROUP BY t.run
     ORDER BY round(avg(t.worst)::numeric, 12) DESC, round(avg(t.mean)::numeric, 12) DESC, t.run COLLATE "C"
$$;
COMMENT ON FUNCTION run_variation(text[], text, text, text, text) IS
    'How robust runs are to the formulation of a topic: means of best and worst scores, deviation within topics';
