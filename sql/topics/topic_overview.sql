-- topic_overview: the topics by name, with title, source and date of their articles, the number of words of the full
-- text (0 if it is not stored; see article_shown), the number of queries with a text,
-- and as an example the first of them by name (NULL without one).
CREATE OR REPLACE FUNCTION topic_overview()
RETURNS TABLE (topic text, title text, source text, published date, words integer, queries bigint,
               example text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT t.topic, s.title, t.source, t.published, coalesce(regexp_count(s.article, '\S*[[:alnum:]]\S*'), 0),
           (SELECT count(*) FROM st1_queries q WHERE q.topic = t.id AND q.text IS NOT NULL),
           (SELECT q.text FROM st1_queries q WHERE q.topic = t.id AND q.text IS NOT NULL
             ORDER BY q.query COLLATE "C" LIMIT 1)
      FROM st1_topics t CROSS JOIN LATERAL article_shown(t) s
     ORDER BY t.topic
$$;
COMMENT ON FUNCTION topic_overview() IS
'Topics by name, with title, source and date of the article, its number of words, the number of queries, and the '
'first query as an example; NULL if there are none';
