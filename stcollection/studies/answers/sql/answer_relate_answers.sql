-- answer_relate_answers: answers of one source of a split, for queries with pairs that the model has not rated; if
-- model_id is NULL, for all queries with two or more answers. By place of the query, then key of the answer.
CREATE OR REPLACE FUNCTION answer_relate_answers(model_id integer, set_id integer, source text)
RETURNS TABLE (query_id integer, query text, template text, answer bigint, answer_text text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH ours AS (
        SELECT q.id AS query_id, q.place, q.text AS query, q.template, a.id, a.text
          FROM answer_queries q JOIN answers a ON a.query = q.id
         WHERE q.set = answer_relate_answers.set_id AND a.source = answer_relate_answers.source COLLATE "C"),
    counted AS (SELECT o.query_id, count(*) AS n FROM ours o GROUP BY o.query_id),
    told AS (
        SELECT x.query_id, count(*) AS n
          FROM answer_relations r
          JOIN ours x ON x.id = r.a
          JOIN ours y ON y.id = r.b AND y.query_id = x.query_id
         WHERE r.model = answer_relate_answers.model_id
         GROUP BY x.query_id)
    SELECT o.query_id, o.query, o.template, o.id, o.text
      FROM ours o
      JOIN counted c USING (query_id)
      LEFT JOIN told t USING (query_id)
     WHERE c.n > 1 AND coalesce(t.n, 0) < c.n * (c.n - 1) / 2
     ORDER BY o.place, o.id
$$;
COMMENT ON FUNCTION answer_relate_answers(integer, integer, text) IS
    'Answers of the queries with pairs that a model has not rated yet';
