-- remove_queries: remove queries, and topics left without queries. The arguments are those of stage_query_removal,
-- which raises the errors.
--
-- A query used by judgments, runs or other records becomes a stub (a query without text), as if its topics had never
-- been loaded; loading them again fills it. Topics are removed with their file or by name.
-- removed: number of deleted queries; kept: number of queries that are now stubs; shared: as counted by
-- stage_query_removal; topics_removed: number of deleted topics.
CREATE OR REPLACE FUNCTION remove_queries(
    files integer[] DEFAULT '{}', queries text[] DEFAULT '{}', topics text[] DEFAULT '{}', stubs boolean DEFAULT false,
    OUT removed bigint, OUT kept bigint, OUT shared bigint, OUT topics_removed bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    shared := stage_query_removal(remove_queries.files, remove_queries.queries, remove_queries.topics,
                                  remove_queries.stubs);
    LOCK TABLE topic_files IN SHARE ROW EXCLUSIVE MODE;
    -- Lock first: the next statement then sees the changes of the transactions that this one waited for.
    PERFORM FROM st1_queries q WHERE q.id IN (SELECT r.id FROM pg_temp.removal r) ORDER BY q.id FOR UPDATE;
    PERFORM count(*) FROM removal_dependents('st1_queries');
    UPDATE st1_queries q
       SET text = NULL, topic = NULL, origin = 'human', model = NULL, prompt = NULL, source = NULL, reviewer = NULL
      FROM pg_temp.removal r WHERE r.id = q.id AND r.kept AND q.text IS NOT NULL;
    DELETE FROM judged_queries j USING pg_temp.removal r WHERE r.id = j.query AND NOT r.kept;
    DELETE FROM st1_queries q USING pg_temp.removal r WHERE r.id = q.id AND NOT r.kept;
    GET DIAGNOSTICS removed = ROW_COUNT;
    kept := (SELECT count(*) FROM pg_temp.removal r WHERE r.kept);
    DELETE FROM st1_topics t
     WHERE (t.topic = ANY (remove_queries.topics)
            OR t.id IN (SELECT unnest(f.topics) FROM topic_files f WHERE f.id = ANY (remove_queries.files)
                        EXCEPT
                        SELECT unnest(f.topics) FROM topic_files f WHERE f.id <> ALL (remove_queries.files)))
       AND NOT EXISTS (SELECT FROM st1_queries q WHERE q.topic = t.id);
    GET DIAGNOSTICS topics_removed = ROW_COUNT;
    DELETE FROM topic_files f WHERE f.id = ANY (remove_queries.files);
    DROP TABLE pg_temp.removal;
END
$$;
COMMENT ON FUNCTION remove_queries(integer[], text[], text[], boolean) IS
'Remove queries of files, by name or topic, or all stubs; a query used by judgments or runs becomes a stub';
