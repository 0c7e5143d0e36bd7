-- predictor_quality: how well each predictor of query performance (query_predictors) predicts the values of a measure;
-- highest tau first.
--
--   pearson, spearman, kendall  correlations of predictor and value over queries, tau-b for kendall; NULL if either
--                               is constant
--   picked     of the topics with several of these queries, the mean value of the query with the highest prediction
--              (the first by name of equal ones); mean, best: of all and of the best query of these topics. NULL
--              without such topics
--   queries    judged queries for which the predictor has a value
--
-- Raises the errors of query_predictors and score_grid, IR202 no query of the set is judged.
CREATE OR REPLACE FUNCTION predictor_quality(
    run text, edition text, measure text DEFAULT 'nDCG@10', depth integer DEFAULT 100, query_set text DEFAULT 'all')
RETURNS TABLE (predictor text, queries integer, pearson double precision, spearman double precision,
               kendall double precision, picked double precision, mean double precision, best double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    WITH predicted AS MATERIALIZED (
        SELECT v.place, v.predictor, p.query, q.topic, v.prediction, g.value
          FROM query_predictors(predictor_quality.run, predictor_quality.query_set, predictor_quality.depth) p
          JOIN st1_queries q ON q.query = p.query
          JOIN score_grid(ARRAY[predictor_quality.run], predictor_quality.edition, predictor_quality.measure,
                          query_set => predictor_quality.query_set) g ON g.query = p.query
         CROSS JOIN LATERAL (VALUES (1, 'avg_idf', p.avg_idf), (2, 'max_idf', p.max_idf), (3, 'avg_scq', p.avg_scq),
                                    (4, 'max_scq', p.max_scq), (5, 'scs', p.scs), (6, 'nqc', p.nqc),
                                    (7, 'wig', p.wig), (8, 'clarity', p.clarity))
                            AS v (place, predictor, prediction)
         WHERE v.prediction IS NOT NULL),
    ranked AS (
        SELECT p.*, (rank() OVER up + count(*) OVER up) / 2.0::double precision AS prediction_rank,
               (rank() OVER of_value + count(*) OVER of_value) / 2.0::double precision AS value_rank
          FROM predicted p
        WINDOW up AS (PARTITION BY p.predictor ORDER BY p.prediction),
               of_value AS (PARTITION BY p.predictor ORDER BY p.value)),
    topic AS (
        SELECT p.predictor, (array_agg(p.value ORDER BY p.prediction DESC, p.query COLLATE "C"))[1] AS picked,
               avg(p.value) AS mean, max(p.value) AS best
          FROM predicted p WHERE p.topic IS NOT NULL GROUP BY p.predictor, p.topic HAVING count(*) > 1),
    choice AS (
        SELECT t.predictor, avg(t.picked) AS picked, avg(t.mean) AS mean, avg(t.best) AS best FROM topic t
         GROUP BY t.predictor)
    SELECT q.predictor, q.queries, q.pearson, q.spearman, kendall_tau(q.predictions, q.values) AS kendall, c.picked,
           c.mean, c.best
      FROM (SELECT r.predictor, min(r.place) AS place, count(*)::integer AS queries,
                   corr(r.prediction, r.value) AS pearson, corr(r.prediction_rank, r.value_rank) AS spearman,
                   array_agg(r.prediction ORDER BY r.query COLLATE "C") AS predictions,
                   array_agg(r.value ORDER BY r.query COLLATE "C") AS values
              FROM ranked r GROUP BY r.predictor) q
      LEFT JOIN choice c ON c.predictor = q.predictor
     ORDER BY kendall DESC NULLS LAST, q.place
$$;
COMMENT ON FUNCTION predictor_quality(text, text, text, integer, text) IS
    'Correlations of predictors of query performance with the values of a measure, and the formulations that they pick';
