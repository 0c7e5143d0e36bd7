-- article_text: the article of a topic as one text: title, empty line, full text (article_shown). NULL if the full text
-- is not stored.
CREATE OR REPLACE FUNCTION article_text(topic st1_topics) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT concat_ws(E'\n\n', s.title, s.article) FROM article_shown(article_text.topic) s WHERE s.article IS NOT NULL
$$;
COMMENT ON FUNCTION article_text(st1_topics) IS
'The article of a topic as one text: title and full text; NULL if the full text is not stored';
