-- topic_article: a topic for display: title, origin and full text of its article (article_shown), and its queries as
-- [[name, text], …] by name.
-- Raises IR109 no such topic.
CREATE OR REPLACE FUNCTION topic_article(
    INOUT topic text, OUT title text, OUT origin text, OUT article text, OUT queries jsonb)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT t.topic, s.title, s.origin, s.article,
           (SELECT coalesce(jsonb_agg(jsonb_build_array(q.query, q.text) ORDER BY q.query), '[]')
              FROM st1_queries q WHERE q.topic = t.id AND q.text IS NOT NULL)
      FROM topic_key(topic_article.topic) k JOIN st1_topics t ON t.id = k CROSS JOIN LATERAL article_shown(t) s
$$;
COMMENT ON FUNCTION topic_article(text) IS
'A topic for display: title, origin and full text of its article, and its queries';
