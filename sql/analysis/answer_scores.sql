-- answer_scores: how well the documents a run returns are those of the gold, one row for each run and query of its split; by run and
-- place of the query.
--
--   precision = tp / predicted,  recall = tp / gold,  f1 = 2 tp / (predicted + gold)    (sets of documents, each counted once)
--
-- Where nothing is returned and nothing is gold all three are 1; where one of the two is empty all three are 0. Which is F1 as
-- scikit-learn's with zero_division 1; precision and recall are 0 there rather than undefined.
-- The tables do not tell a query whose gold is empty from one whose gold is not known: answer_mean_scores leaves both out.
-- runs: their names, of any splits. Raises IR101 no such run.
CREATE OR REPLACE FUNCTION answer_scores(runs text[])
RETURNS TABLE (run text, place integer, query text, template text, tp integer, predicted integer, gold integer,
               "precision" double precision, recall double precision, f1 double precision)  -- noqa: RF06
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := ARRAY(SELECT answer_run_key(u.run) FROM unnest(answer_scores.runs) u(run));
BEGIN
    RETURN QUERY
    WITH known AS MATERIALIZED (
        SELECT g.query, count(*)::integer AS n FROM answer_gold g JOIN answer_queries q ON q.id = g.query
         WHERE q.set IN (SELECT r.set FROM answer_runs r WHERE r.id = ANY (keys)) GROUP BY g.query),
    returned AS MATERIALIZED (
        SELECT p.run, p.query, count(*)::integer AS n, count(g.document)::integer AS tp
          FROM answer_predictions p LEFT JOIN answer_gold g ON g.document = p.document
         WHERE p.run = ANY (keys) GROUP BY p.run, p.query),
    counts AS (
        SELECT r.run, q.place, q.text AS query, q.template, coalesce(p.tp, 0) AS tp, coalesce(p.n, 0) AS predicted,
               coalesce(k.n, 0) AS gold
          FROM answer_runs r JOIN answer_queries q ON q.set = r.set
          LEFT JOIN returned p ON p.run = r.id AND p.query = q.id
          LEFT JOIN known k ON k.query = q.id
         WHERE r.id = ANY (keys))
    SELECT c.run, c.place, c.query, c.template, c.tp, c.predicted, c.gold,
           CASE WHEN c.predicted + c.gold = 0 THEN 1 ELSE coalesce(c.tp::double precision / nullif(c.predicted, 0), 0) END,
           CASE WHEN c.predicted + c.gold = 0 THEN 1 ELSE coalesce(c.tp::double precision / nullif(c.gold, 0), 0) END,
           CASE WHEN c.predicted + c.gold = 0 THEN 1 ELSE 2.0::double precision * c.tp / (c.predicted + c.gold) END
      FROM counts c
     ORDER BY c.run COLLATE "C", c.place, c.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION answer_scores(text[]) IS 'Precision, recall and F1 of the documents of each query, by run';
