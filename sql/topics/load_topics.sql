-- load_topics: store topics, and fill in missing values of stored topics.
--
-- The arrays are parallel, one element per topic. origin_line: where each topic comes from ("queries.csv:12"), used in
-- messages. NULL in another array keeps the stored value. A topic without a source gets the publisher of its web
-- address (topic_publisher); a source from a file replaces it.
-- Raises IR301 for an invalid name (is_name), IR302 if a different value is stored and replace is false.
CREATE OR REPLACE FUNCTION load_topics(
    topic text[], text text[], url text[], abstract_url text[], title text[], article text[], source text[],
    published date[], origin_line text[], replace boolean DEFAULT false, OUT added bigint, OUT changed bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    other record;
BEGIN
    LOCK TABLE st1_topics IN SHARE ROW EXCLUSIVE MODE;  -- wait for loads that have not committed
    CREATE TEMP TABLE incoming_topics ON COMMIT DROP AS
        SELECT * FROM unnest(load_topics.topic, load_topics.text, load_topics.url, load_topics.abstract_url,
                             load_topics.title, load_topics.article, load_topics.source, load_topics.published,
                             load_topics.origin_line)
            WITH ORDINALITY AS i (topic, text, url, abstract_url, title, article, source, published, origin_line,
                                  place);
    SELECT i.topic, i.origin_line INTO other FROM pg_temp.incoming_topics i WHERE NOT is_name(i.topic)
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s: %s cannot be the name of a topic', other.origin_line, shown_name(other.topic)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line; nothing was '
                   'stored.';
    END IF;
    SELECT i.topic, i.origin_line, v.name, v.stored
      INTO other
      FROM pg_temp.incoming_topics i JOIN st1_topics t ON t.topic = i.topic COLLATE "C"
     CROSS JOIN LATERAL (VALUES (1, 'text', t.text, i.text), (2, 'url', t.url, i.url),
                                (3, 'abstract_url', t.abstract_url, i.abstract_url), (4, 'title', t.title, i.title),
                                (5, 'article', t.article, i.article),
                                (6, 'source', nullif(t.source, topic_publisher(t.url)), i.source),
                                (7, 'date', t.published::text, i.published::text)) v (place, name, stored, incoming)
     WHERE v.stored <> v.incoming
     ORDER BY i.place, v.place LIMIT 1;
    IF FOUND AND NOT load_topics.replace THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s: topic %s is stored with another %s: %s', other.origin_line, other.topic, other.name,
                             quote_literal(left(other.stored, 80))),
            HINT = 'Run it again with --replace to store the new one.';
    END IF;

    UPDATE pg_temp.incoming_topics i
       SET source = coalesce(i.source, nullif(t.source, topic_publisher(t.url)),
                             topic_publisher(coalesce(i.url, t.url)), t.source)
      FROM pg_temp.incoming_topics o LEFT JOIN st1_topics t ON t.topic = o.topic COLLATE "C"
     WHERE o.place = i.place;
    UPDATE st1_topics t
       SET (text, url, abstract_url, title, article, source, published)
           = (coalesce(i.text, t.text), coalesce(i.url, t.url), coalesce(i.abstract_url, t.abstract_url),
              coalesce(i.title, t.title), coalesce(i.article, t.article), i.source,
              coalesce(i.published, t.published))
      FROM pg_temp.incoming_topics i
     WHERE t.topic = i.topic COLLATE "C"
       AND (t.text, t.url, t.abstract_url, t.title, t.article, t.source, t.published)
           IS DISTINCT FROM (coalesce(i.text, t.text), coalesce(i.url, t.url),
                             coalesce(i.abstract_url, t.abstract_url), coalesce(i.title, t.title),
                             coalesce(i.article, t.article), i.source,
                             coalesce(i.published, t.published));
    GET DIAGNOSTICS changed = ROW_COUNT;
    INSERT INTO st1_topics (topic, text, url, abstract_url, title, article, source, published)
    SELECT i.topic, i.text, i.url, i.abstract_url, i.title, i.article, i.source, i.published
      FROM pg_temp.incoming_topics i
     WHERE NOT EXISTS (SELECT FROM st1_topics t WHERE t.topic = i.topic COLLATE "C")
     ORDER BY i.place;
    GET DIAGNOSTICS added = ROW_COUNT;
    DROP TABLE pg_temp.incoming_topics;
END
$$;
COMMENT ON FUNCTION load_topics(text[], text[], text[], text[], text[], text[], text[], date[], text[], boolean) IS
'Store topics and fill in missing values of stored ones; IR302 if a different value is stored, unless replace is '
'true';
