-- rerank_pairs: the input of a reranker: the first n documents of queries in a stored run, each with the text of the
-- query and its title and abstract, by query and rank. Queries without a text and documents without
-- title and abstract are omitted.
CREATE OR REPLACE FUNCTION rerank_pairs(run_id integer, queries integer[], n integer)
RETURNS TABLE (query integer, doc bigint, query_text text, title text, abstract text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT k.query, k.doc, q.text, t.title, t.abstract
      FROM st1_rankings k JOIN st1_queries q ON q.id = k.query JOIN dblp_text t ON t.id = k.doc
     WHERE k.run = rerank_pairs.run_id AND k.query = ANY (rerank_pairs.queries)
       AND k.first <= rerank_pairs.n AND k.rank <= rerank_pairs.n
       AND q.text IS NOT NULL AND (t.title IS NOT NULL OR t.abstract IS NOT NULL)
     ORDER BY k.query, k.rank
$$;
COMMENT ON FUNCTION rerank_pairs(integer, integer[], integer) IS
'First n documents of queries in a stored run with their texts, for a reranker';
