-- topic_sources: the numbers of topics and queries by source of the topics, short and long queries apart, with the
-- first query by name as an example. Table 1 of the SimpleText-1 publication. source is NULL for topics without one.
CREATE OR REPLACE FUNCTION topic_sources()
RETURNS TABLE (source text, type text, topics bigint, queries bigint, example text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT t.source, l.type, count(DISTINCT t.id), count(*), (array_agg(q.text ORDER BY q.query COLLATE "C"))[1]
      FROM st1_topics t JOIN st1_queries q ON q.topic = t.id AND q.text IS NOT NULL
      CROSS JOIN LATERAL (SELECT CASE WHEN q.id IN (SELECT g.id FROM long_queries() g)
                                      THEN 'long' ELSE 'short' END) l (type)
     GROUP BY t.source, l.type
     ORDER BY t.source, l.type DESC
$$;
COMMENT ON FUNCTION topic_sources() IS
'Numbers of topics and queries by source of the topics, short and long queries apart, with an example';
