-- answer_graphs: answers of each query and the relations between them, one row per query with answers; by query.
--
-- answers: ids, ascending; documents: the document of each answer. a, b: positions of a pair in answers, from 1;
-- support, oppose, same: its relation (answer_edges).
CREATE OR REPLACE FUNCTION answer_graphs(set_id integer, model_id integer, source text)
RETURNS TABLE (query integer, answers bigint[], documents bigint[], a integer[], b integer[],
               support double precision[],
               oppose double precision[], same boolean[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH nodes AS MATERIALIZED (
        SELECT v.query, v.answer, v.document,
               (row_number() OVER (PARTITION BY v.query ORDER BY v.answer))::integer AS place
          FROM answer_voters(answer_graphs.set_id, answer_graphs.source) v),
    edges AS (
        SELECT e.query, array_agg(n.place) AS a, array_agg(m.place) AS b, array_agg(e.support) AS support,
               array_agg(e.oppose) AS oppose, array_agg(e.same) AS same
          FROM answer_edges(answer_graphs.set_id, answer_graphs.model_id, answer_graphs.source) e
          JOIN nodes n ON n.answer = e.a JOIN nodes m ON m.answer = e.b
         GROUP BY e.query)
    SELECT n.query, n.answers, n.documents, coalesce(e.a, '{}'), coalesce(e.b, '{}'), coalesce(e.support, '{}'),
           coalesce(e.oppose, '{}'), coalesce(e.same, '{}')
      FROM (SELECT query, array_agg(answer ORDER BY answer) AS answers,
                   array_agg(document ORDER BY answer) AS documents FROM nodes GROUP BY query) n
      LEFT JOIN edges e ON e.query = n.query
     ORDER BY n.query;
END
$$;
COMMENT ON FUNCTION answer_graphs(integer, integer, text) IS
    'Answers of each query and the relations between them, as arrays, one row per query';
