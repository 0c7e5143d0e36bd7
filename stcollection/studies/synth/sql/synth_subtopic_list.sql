-- synth_subtopic_list: queries generated from the articles of topics, with their review, by topic, origin and number.
--
--   state   published, accepted, off-topic, duplicate; set aside: a near-duplicate without a review; waiting: for a
--           review; malformed, empty, error: the answer had no query
--   text    text of the query: the reviewer's if it was reworded
CREATE OR REPLACE FUNCTION synth_subtopic_list()
RETURNS TABLE (
    id bigint, topic text, origin text, model text, prompt text, number integer, state text, query text, text text,
    generated text, nearest_query text, nearest text, words double precision, cosine double precision, reviewer text,
    note text, answer text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.id, t.topic, s.origin, s.model, p.name, s.number,
           CASE WHEN s.dropped IS NOT NULL THEN s.dropped WHEN s.query IS NOT NULL THEN 'published'
                WHEN s.verdict IS NOT NULL THEN s.verdict WHEN s.near THEN 'set aside' ELSE 'waiting' END,
           q.query, coalesce(s.reworded, s.text), s.text, s.nearest_query, s.nearest, s.words, s.cosine, s.reviewer,
           s.note, s.answer
      FROM synth_subtopics s
      JOIN st1_topics t ON t.id = s.topic
      JOIN llm_prompts p ON p.id = s.prompt
      LEFT JOIN st1_queries q ON q.id = s.query
     ORDER BY t.topic COLLATE "C", s.origin COLLATE "C", s.number
$$;
COMMENT ON FUNCTION synth_subtopic_list() IS
    'Queries generated from the articles of topics, with the nearest query, the review and the state of each';
