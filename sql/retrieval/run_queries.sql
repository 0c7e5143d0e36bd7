-- run_queries: the queries of a set (query_set) that a run searches, with the text to search: their own, or the article
-- of their topic (article_text). Queries without a text are omitted, and those without an article if articles are
-- searched.
CREATE OR REPLACE FUNCTION run_queries(query_set text, query_from text)
RETURNS TABLE (id integer, query text, topic integer, text text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT q.id, q.query, q.topic, q.text FROM query_set(run_queries.query_set) JOIN st1_queries q USING (id)
     WHERE q.text IS NOT NULL AND run_queries.query_from IS DISTINCT FROM 'article'
     UNION ALL
    SELECT q.id, q.query, q.topic, a.article
      FROM (SELECT t.id, article_text(t) AS article FROM st1_topics t WHERE run_queries.query_from = 'article') a
      JOIN st1_queries q ON q.topic = a.id
     WHERE q.text IS NOT NULL AND a.article IS NOT NULL
       AND q.id IN (SELECT s.id FROM query_set(run_queries.query_set) s)
$$;
COMMENT ON FUNCTION run_queries(text, text) IS
'Queries of a set that a run searches, with the text to search: their own, or the article of their topic';
