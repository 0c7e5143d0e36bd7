-- synth_publish_subtopics: create queries from the accepted subtopics, named after their topic as the long queries of
-- SimpleText: G01.C1, G01.C2, … after the last such name of the topic. They keep origin, model, prompt and reviewer.
-- Returns the new queries; repeating the call adds none.
--
-- Raises IR302 a stored query with the same words, IR405 no subtopic was ever accepted, IR202 a name that is too long.
CREATE OR REPLACE FUNCTION synth_publish_subtopics() RETURNS TABLE (query text, topic text, text text, reviewer text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    taken record;
BEGIN
    IF NOT EXISTS (SELECT FROM synth_subtopics s WHERE s.verdict = 'accepted') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no subtopic is accepted',
            HINT = 'Write a sheet with ''stc export review'', fill it in, and read it with ''stc load '
                   '--as review''.';
    END IF;
    LOCK TABLE st1_queries IN SHARE ROW EXCLUSIVE MODE;  -- names and words must not be used by another transaction
    DROP TABLE IF EXISTS pg_temp.publishing;
    CREATE TEMPORARY TABLE publishing ON COMMIT DROP AS
    SELECT s.id, t.id AS topic_id, t.topic, coalesce(s.reworded, s.text) AS text, s.origin, s.model, s.prompt,
           s.reviewer,
           t.topic || '.C' || l.last + row_number() OVER (PARTITION BY t.id ORDER BY s.id) AS name
      FROM synth_subtopics s
      JOIN st1_topics t ON t.id = s.topic
     CROSS JOIN LATERAL (
           SELECT coalesce(max(substr(q.query, length(t.topic) + 3)::bigint), 0) AS last
             FROM st1_queries q
            WHERE starts_with(q.query, t.topic || '.C') AND substr(q.query, length(t.topic) + 3) ~ '^\d{1,9}$') l
     WHERE s.verdict = 'accepted' AND s.query IS NULL;
    PERFORM check_name('query', p.name) FROM pg_temp.publishing p;
    SELECT p.text, query_with_words(plain_words(p.text)) AS name INTO taken FROM pg_temp.publishing p
     WHERE query_with_words(plain_words(p.text)) IS NOT NULL ORDER BY p.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('the query %s already has the words %L', taken.name, left(taken.text, 80)),
            HINT = 'Mark the subtopic as a duplicate on the sheet and import the sheet again. Nothing was stored.';
    END IF;
    INSERT INTO st1_queries (query, topic, text, origin, model, prompt, reviewer)
    SELECT p.name, p.topic_id, p.text, p.origin, p.model, p.prompt, p.reviewer FROM pg_temp.publishing p
     ORDER BY p.topic COLLATE "C", p.id;
    UPDATE synth_subtopics s SET query = q.id
      FROM pg_temp.publishing p JOIN st1_queries q ON q.query = p.name COLLATE "C" WHERE s.id = p.id;
    RETURN QUERY SELECT p.name, p.topic, p.text, p.reviewer FROM pg_temp.publishing p
                  ORDER BY p.topic COLLATE "C", p.id;
    DROP TABLE pg_temp.publishing;
END
$$;
COMMENT ON FUNCTION synth_publish_subtopics() IS
    'Creates queries such as G01.C1 from the accepted subtopics; returns the new ones';
