-- answer_scores: precision, recall and F1 of the documents that runs return, compared with the gold, one row per run
-- and query of its split; by run and place of the query.
--
--   precision = tp / predicted,  recall = tp / gold,  f1 = 2 tp / (predicted + gold)    (of sets of documents)
--
-- If nothing is returned and there is no gold, all three are 1; if only one of the two is empty, all three are 0. F1
-- equals scikit-learn's with zero_division 1; precision and recall are 0 where scikit-learn's are undefined. The tables
-- do not distinguish empty gold from unknown gold; answer_mean_scores omits both. runs: names of runs, of any splits.
-- Raises IR101 no such run.
CREATE OR REPLACE FUNCTION answer_scores(runs text[])
RETURNS TABLE (run text, place integer, query text, template text, tp integer, predicted integer, gold integer,
               "precision" double precision, recall double precision, f1 double precision)  -- noqa: RF06
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := ARRAY(SELECT answer_run_key(u.run) FROM unnest(answer_scores.runs) u(run));
BEGIN
    RETURN QUERY
    WITH counts AS (
        SELECT r.run, q.place, q.text AS query, q.template, n.tp, n.predicted, n.gold
          FROM (SELECT u.run, u.query, sum(u.tp)::integer AS tp, sum(u.predicted)::integer AS predicted,
                       sum(u.gold)::integer AS gold
                  FROM (SELECT r.id AS run, q.id AS query, 0 AS tp, 0 AS predicted, 0 AS gold
                          FROM answer_runs r JOIN answer_queries q ON q.set = r.set WHERE r.id = ANY (keys)
                        UNION ALL
                        SELECT p.run, p.query, (g.document IS NOT NULL)::integer, 1, 0
                          FROM answer_predictions p LEFT JOIN answer_gold g ON g.document = p.document
                         WHERE p.run = ANY (keys)
                        UNION ALL
                        SELECT r.id, g.query, 0, 0, 1
                          FROM answer_runs r JOIN answer_queries q ON q.set = r.set JOIN answer_gold g ON g.query = q.id
                         WHERE r.id = ANY (keys)) u
                 GROUP BY u.run, u.query) n
          JOIN answer_runs r ON r.id = n.run JOIN answer_queries q ON q.id = n.query)
    SELECT c.run, c.place, c.query, c.template, c.tp, c.predicted, c.gold,
           CASE WHEN c.predicted + c.gold = 0 THEN 1
                ELSE coalesce(c.tp::double precision / nullif(c.predicted, 0), 0) END,
           CASE WHEN c.predicted + c.gold = 0 THEN 1 ELSE coalesce(c.tp::double precision / nullif(c.gold, 0), 0) END,
           CASE WHEN c.predicted + c.gold = 0 THEN 1 ELSE 2.0::double precision * c.tp / (c.predicted + c.gold) END
      FROM counts c
     ORDER BY c.run COLLATE "C", c.place, c.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION answer_scores(text[]) IS
    'Precision, recall and F1 of the documents returned, per run and query; in [0, 1]';
