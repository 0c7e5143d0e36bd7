-- needed_article: the article of a topic as one text (article_text). Raises IR109 no such topic, IR405 the topic has no
-- article.
CREATE OR REPLACE FUNCTION needed_article(topic text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer := topic_key(needed_article.topic);
    whole text := (SELECT article_text(t) FROM st1_topics t WHERE t.id = found_id);
BEGIN
    IF whole IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the topic %s has no article', needed_article.topic),
            HINT = 'Load articles with ''stc load --as articles''.';
    END IF;
    RETURN whole;
END
$$;
COMMENT ON FUNCTION needed_article(text) IS
'The article of a topic as one text; raises IR109 if there is no such topic, IR405 if it has no article';
