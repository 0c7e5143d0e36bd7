-- article_shown: title, origin and full text of the article of a topic.
--
--   title     title of the article; if it is not stored, the topic's text
--   origin    source, date and address, separated by commas; NULL if none is known
--   article   full text; if it is not stored, the topic's text (topic_text in the track's files), provided that it is
--             not the title: the title is stored and differs, or the text has more than 300 characters. Else NULL
CREATE OR REPLACE FUNCTION article_shown(topic st1_topics)
RETURNS TABLE (title text, origin text, article text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT CASE WHEN (topic).article IS NULL AND ((topic).title <> (topic).text OR length((topic).text) > 300)
                THEN (topic).title ELSE coalesce((topic).title, (topic).text) END,
           nullif(concat_ws(', ', (topic).source, (topic).published::text, (topic).url), ''),
           CASE WHEN (topic).article IS NULL AND ((topic).title <> (topic).text OR length((topic).text) > 300)
                THEN (topic).text ELSE (topic).article END
$$;
COMMENT ON FUNCTION article_shown(st1_topics) IS
'Title, origin and full text of the article of a topic; article is NULL if only the title is stored';
