-- pool_queries: queries of a pool with their numbers of documents, of judged documents and of relevant ones (found; a
-- grade of at least relevant). One row per query of a set (query_set).
--
-- edition: whose judgments to use; NULL for the pool's own sheets. Raises IR102 no such edition, IR103 the set
-- names no query, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_queries(pool text, edition text DEFAULT NULL, relevant integer DEFAULT 1,
                                        query_set text DEFAULT 'all')
RETURNS TABLE (query text, query_text text, documents bigint, judged bigint, found bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, q.text, count(*), count(d.rel), count(*) FILTER (WHERE d.rel >= pool_queries.relevant)
      FROM pool_judged(pool_queries.pool, pool_queries.edition) d JOIN st1_queries q ON q.id = d.query
     WHERE d.query IN (SELECT unnest(query_set_ids(pool_queries.query_set)))
     GROUP BY q.query, q.text ORDER BY q.query
$$;
COMMENT ON FUNCTION pool_queries(text, text, integer, text) IS
    'Queries of a pool with their numbers of documents, judged documents and relevant documents';
