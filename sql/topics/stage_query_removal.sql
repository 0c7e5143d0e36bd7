-- stage_query_removal: create the temporary table removal, which lists the queries to remove: queries of files of the
-- ledger, of given names, of given topics, or all stubs.
--
-- Queries that another file of the ledger also contains are not listed; shared is their number.
-- Raises IR103 for a query and IR109 for a topic that is not stored, IR410 for a role without the right to remove.
CREATE OR REPLACE FUNCTION stage_query_removal(
    files integer[] DEFAULT '{}', queries text[] DEFAULT '{}', topics text[] DEFAULT '{}', stubs boolean DEFAULT false,
    OUT shared bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
DECLARE
    bad text;
BEGIN
    PERFORM check_removal('st1_queries', 'DELETE', 'queries');
    SELECT n.name INTO bad FROM unnest(stage_query_removal.queries) AS n (name)
     WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = n.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('there is no query %s', shown_name(bad)),
            HINT = 'Nothing was removed. To remove a topic with its queries, use --topic.';
    END IF;
    SELECT n.name INTO bad FROM unnest(stage_query_removal.topics) AS n (name)
     WHERE NOT EXISTS (SELECT FROM st1_topics t WHERE t.topic = n.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR109', MESSAGE = format('there is no topic %s', shown_name(bad)),
            HINT = 'Nothing was removed. To remove a query, omit --topic.';
    END IF;

    DROP TABLE IF EXISTS pg_temp.removal;
    CREATE TEMP TABLE removal (id integer PRIMARY KEY, kept boolean NOT NULL DEFAULT false) ON COMMIT DROP;
    INSERT INTO pg_temp.removal (id)
    SELECT DISTINCT q.id FROM topic_files f CROSS JOIN unnest(f.queries) AS u (id)
      JOIN st1_queries q ON q.id = u.id AND q.text IS NOT NULL
     WHERE f.id = ANY (stage_query_removal.files);
    DELETE FROM pg_temp.removal r
     USING (SELECT DISTINCT unnest(f.queries) AS id FROM topic_files f WHERE f.id <> ALL (stage_query_removal.files)) o
     WHERE o.id = r.id;
    GET DIAGNOSTICS shared = ROW_COUNT;
    INSERT INTO pg_temp.removal (id)
    SELECT q.id FROM st1_queries q LEFT JOIN st1_topics t ON t.id = q.topic
     WHERE q.query = ANY (stage_query_removal.queries) OR t.topic = ANY (stage_query_removal.topics)
        OR (stage_query_removal.stubs AND q.text IS NULL)
    ON CONFLICT DO NOTHING;
    ANALYZE pg_temp.removal;
END
$$;
COMMENT ON FUNCTION stage_query_removal(integer[], text[], text[], boolean) IS
'Create the temporary table removal: the queries of files, of given names or topics, or all stubs';
