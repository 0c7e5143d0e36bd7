-- synth_subtopics_to_ask: topics with the state of their subtopics of an origin, by name.
--
--   state   made: subtopics are stored; malformed: the answer had none; no article; ask: a request is needed
--
-- topics: names of topics; NULL for all. A failed request is repeated; with retry_malformed also one whose answer was
-- malformed or empty.
-- Raises IR109 no such topic.
CREATE OR REPLACE FUNCTION synth_subtopics_to_ask(
    origin text, topics text[] DEFAULT NULL, retry_malformed boolean DEFAULT false)
RETURNS TABLE (id integer, topic text, title text, article text, state text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT t.id, t.topic, s.title, s.article,
           CASE WHEN o.made THEN 'made'
                WHEN o.malformed AND NOT synth_subtopics_to_ask.retry_malformed THEN 'malformed'
                WHEN s.article IS NULL THEN 'no article' ELSE 'ask' END
      FROM st1_topics t
     CROSS JOIN LATERAL article_shown(t) s
     CROSS JOIN LATERAL (SELECT coalesce(bool_or(c.dropped IS NULL), false) AS made,
                                coalesce(bool_or(c.dropped IN ('malformed', 'empty')), false) AS malformed
                           FROM synth_subtopics c
                          WHERE c.topic = t.id AND c.origin = synth_subtopics_to_ask.origin) o
     WHERE synth_subtopics_to_ask.topics IS NULL
        OR t.id IN (SELECT topic_key(n.name) FROM unnest(synth_subtopics_to_ask.topics) AS n (name))
     ORDER BY t.topic COLLATE "C"
$$;
COMMENT ON FUNCTION synth_subtopics_to_ask(text, text[], boolean) IS
    'Topics with their articles and the state of their subtopics of an origin: made, malformed, no article or ask';
