-- load_topics: store topics, and fill in missing values of stored topics.
--
-- The arrays are parallel, one element per topic. origin_line: where each topic comes from ("queries.csv:12"), used in
-- messages. NULL in text, url or abstract_url keeps the stored value.
-- Raises IR301 for an invalid name (is_name), IR302 if a different text or address is stored and replace is false.
CREATE OR REPLACE FUNCTION load_topics(
    topic text[], text text[], url text[], abstract_url text[], origin_line text[], replace boolean DEFAULT false,
    OUT added bigint, OUT changed bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    other record;
BEGIN
    LOCK TABLE st1_topics IN SHARE ROW EXCLUSIVE MODE;  -- wait for loads that have not committed
    CREATE TEMP TABLE incoming_topics ON COMMIT DROP AS
        SELECT * FROM unnest(load_topics.topic, load_topics.text, load_topics.url, load_topics.abstract_url,
                             load_topics.origin_line)
            WITH ORDINALITY AS i (topic, text, url, abstract_url, origin_line, place);
    SELECT i.topic, i.origin_line INTO other FROM pg_temp.incoming_topics i WHERE NOT is_name(i.topic)
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s: %s cannot be the name of a topic', other.origin_line, shown_name(other.topic)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line; nothing was '
                   'stored.';
    END IF;
    SELECT i.topic, i.origin_line,
           CASE WHEN t.text <> i.text THEN 'text' WHEN t.url <> i.url THEN 'url' ELSE 'abstract_url' END AS what,
           CASE WHEN t.text <> i.text THEN t.text WHEN t.url <> i.url THEN t.url ELSE t.abstract_url END AS stored
      INTO other
      FROM pg_temp.incoming_topics i JOIN st1_topics t ON t.topic = i.topic COLLATE "C"
     WHERE t.text <> i.text OR t.url <> i.url OR t.abstract_url <> i.abstract_url
     ORDER BY i.place LIMIT 1;
    IF FOUND AND NOT load_topics.replace THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s: topic %s is stored with another %s: %s', other.origin_line, other.topic, other.what,
                             quote_literal(left(other.stored, 80))),
            HINT = 'Run it again with --replace to store the new one.';
    END IF;

    UPDATE st1_topics t
       SET text = coalesce(i.text, t.text), url = coalesce(i.url, t.url),
           abstract_url = coalesce(i.abstract_url, t.abstract_url)
      FROM pg_temp.incoming_topics i
     WHERE t.topic = i.topic COLLATE "C"
       AND (t.text IS DISTINCT FROM coalesce(i.text, t.text) OR t.url IS DISTINCT FROM coalesce(i.url, t.url)
            OR t.abstract_url IS DISTINCT FROM coalesce(i.abstract_url, t.abstract_url));
    GET DIAGNOSTICS changed = ROW_COUNT;
    INSERT INTO st1_topics (topic, text, url, abstract_url)
    SELECT i.topic, i.text, i.url, i.abstract_url FROM pg_temp.incoming_topics i
     WHERE NOT EXISTS (SELECT FROM st1_topics t WHERE t.topic = i.topic COLLATE "C")
     ORDER BY i.place;
    GET DIAGNOSTICS added = ROW_COUNT;
    DROP TABLE pg_temp.incoming_topics;
END
$$;
COMMENT ON FUNCTION load_topics(text[], text[], text[], text[], text[], boolean) IS
'Store topics and fill in missing values of stored ones; IR302 if a different value is stored, unless replace is '
'true';
