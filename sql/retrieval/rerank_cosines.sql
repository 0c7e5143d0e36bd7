-- rerank_cosines: the cosines by which rerank_run reranks: of the vector of a query and those of its first n documents
-- in a stored run. Documents without a vector of the field and queries without a text have no rows.
--
-- One statement per query, which each server of a distributed collection answers for its own documents.
-- Raises the errors of embed_query.
CREATE OR REPLACE FUNCTION rerank_cosines(run_id integer, field text, space vector_models, n integer)
RETURNS TABLE (query integer, doc bigint, score double precision)
LANGUAGE plpgsql ROWS 10000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    asked record;
    cosines CONSTANT text := 'SELECT $3, c.* FROM (' || cosines_statement(rerank_cosines.field, space) || ') c';
BEGIN
    FOR asked IN
        SELECT k.query, q.text, array_agg(k.doc) AS docs
          FROM st1_rankings k JOIN st1_queries q ON q.id = k.query
         WHERE k.run = rerank_cosines.run_id AND k.first <= rerank_cosines.n AND k.rank <= rerank_cosines.n
           AND q.text ~ '\S'
         GROUP BY k.query, q.text ORDER BY k.query
    LOOP
        RETURN QUERY EXECUTE cosines
            USING l2_normalize(embed_query(asked.text, space.model)), asked.docs, asked.query;
    END LOOP;
END
$$;
COMMENT ON FUNCTION rerank_cosines(integer, text, vector_models, integer) IS
'Part of rerank_run: cosines of the vectors of queries and of their first documents in a stored run';
