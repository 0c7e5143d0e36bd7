-- load_queries: store queries, and fill stubs (queries without text, known only from a run or from judgments).
--
-- The arrays are parallel, one element per query. topic: name of a stored topic, or NULL. origin_line: where each query
-- comes from ("queries.csv:12"), used in messages. origin: NULL stores 'human' for new queries and keeps the origin of
-- stored ones.
-- Raises IR301 for an invalid name (is_name), IR109 for a topic that is not stored, IR302 if a different text, topic or
-- origin is stored and replace is false.
CREATE OR REPLACE FUNCTION load_queries(
    query text[], topic text[], text text[], origin_line text[], origin text DEFAULT NULL,
    replace boolean DEFAULT false,
    OUT added bigint, OUT filled bigint, OUT changed bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    other record;
    touched bigint;
BEGIN
    -- wait for loads and for runs with stubs that have not committed
    LOCK TABLE st1_queries IN SHARE ROW EXCLUSIVE MODE;
    CREATE TEMP TABLE incoming_queries ON COMMIT DROP AS
        SELECT i.query, i.topic, t.id AS topic_id, i.text, i.origin_line, i.place
          FROM unnest(load_queries.query, load_queries.topic, load_queries.text, load_queries.origin_line)
               WITH ORDINALITY AS i (query, topic, text, origin_line, place)
          LEFT JOIN st1_topics t ON t.topic = i.topic COLLATE "C";
    SELECT i.query, i.origin_line INTO other FROM pg_temp.incoming_queries i WHERE NOT is_name(i.query)
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s: %s cannot be the name of a query', other.origin_line, shown_name(other.query)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line; nothing was '
                   'stored.';
    END IF;
    SELECT i.topic, i.origin_line INTO other
      FROM pg_temp.incoming_queries i WHERE i.topic IS NOT NULL AND i.topic_id IS NULL ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR109',
            MESSAGE = format('%s: there is no topic %s', other.origin_line, other.topic),
            HINT = 'Store the topics first with load_topics.';
    END IF;

    SELECT i.query, i.origin_line,
           CASE WHEN q.text <> i.text THEN format('another text: %L', left(q.text, 80))
                WHEN q.topic <> i.topic_id THEN format('another topic: %s', t.topic)
                ELSE format('another origin: %s', q.origin) END AS what
      INTO other
      FROM pg_temp.incoming_queries i
      JOIN st1_queries q ON q.query = i.query COLLATE "C"
      LEFT JOIN st1_topics t ON t.id = q.topic
     WHERE q.text IS NOT NULL AND (q.text <> i.text OR q.topic <> i.topic_id OR q.origin <> load_queries.origin)
     ORDER BY i.place LIMIT 1;
    IF FOUND AND NOT load_queries.replace THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s: query %s is stored with %s', other.origin_line, other.query, other.what),
            HINT = 'Run it again with --replace to store the new one. Runs made with the old text do not change.';
    END IF;

    SELECT count(*) INTO filled
      FROM pg_temp.incoming_queries i JOIN st1_queries q ON q.query = i.query COLLATE "C" WHERE q.text IS NULL;
    UPDATE st1_queries q
       SET text = i.text, topic = coalesce(i.topic_id, q.topic), origin = coalesce(load_queries.origin, q.origin)
      FROM pg_temp.incoming_queries i
     WHERE q.query = i.query COLLATE "C"
       AND (q.text IS DISTINCT FROM i.text OR q.topic IS DISTINCT FROM coalesce(i.topic_id, q.topic)
            OR q.origin <> load_queries.origin);
    GET DIAGNOSTICS touched = ROW_COUNT;
    changed := touched - filled;
    INSERT INTO st1_queries (query, topic, text, origin)
    SELECT i.query, i.topic_id, i.text, coalesce(load_queries.origin, 'human') FROM pg_temp.incoming_queries i
     WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query COLLATE "C")
     ORDER BY i.place;
    GET DIAGNOSTICS added = ROW_COUNT;
    DROP TABLE pg_temp.incoming_queries;
END
$$;
COMMENT ON FUNCTION load_queries(text[], text[], text[], text[], text, boolean) IS
'Store queries and fill stubs; IR302 if a different text, topic or origin is stored, unless replace is true';
