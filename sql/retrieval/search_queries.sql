-- search_queries: search the next queries of an unfinished run for about that many seconds, and store their rankings in
-- unfinished_rankings. Returns the number of queries searched so far, by all sessions, and by this call (taken).
--
-- Several sessions can call it at once: each takes queries that no other one is searching. The caller commits after
-- each call; committed rankings are not lost. taken is 0 if no query is left, or if other sessions search the rest.
--
-- Queries of a topic share its article, so a run that searches articles searches it once, unless the filter differs
-- between queries (judged).
--
-- spent: resources that the caller has used since the previous call, for instance {"runtime in seconds": 1.2}. They
-- are stored with the first query, so that a continued run has those of all its parts.
--
-- stopped is true, and nothing is searched, if the collection changed since the run was begun (run_state), or if the
-- unfinished run does not exist any more, for instance because another command finished it. resume_run tells which.
CREATE OR REPLACE FUNCTION search_queries(
    unfinished integer, seconds double precision DEFAULT 1, spent jsonb DEFAULT NULL,
    OUT done bigint, OUT taken integer, OUT stopped boolean
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    began timestamptz := clock_timestamp();
    made unfinished_runs := claim_unfinished(search_queries.unfinished, shared => true);
    of_articles boolean := made.params ->> 'query_from' = 'article';
    by_topic boolean := of_articles AND NOT coalesce(made.params -> 'filter' ? 'judged', false);
    one record;
    copied boolean;
BEGIN
    taken := 0;
    stopped := made.id IS NULL;
    IF stopped THEN
        RETURN;
    END IF;
    FOR one IN
        SELECT q.id, q.query, q.topic, q.text,
               hashtext(concat_ws(' ', made.id, CASE WHEN by_topic THEN 'topic ' || q.topic ELSE q.query END)) AS lock
          FROM run_queries(coalesce(made.params ->> 'queries', 'all'), made.params ->> 'query_from') q
         WHERE NOT EXISTS (SELECT FROM unfinished_rankings r WHERE r.unfinished = made.id AND r.query = q.id)
         ORDER BY q.id
    LOOP
        -- Locks last until the commit. Another session may have committed a query since the list was read.
        CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtext('stc query of a run'), one.lock)
                 OR EXISTS (SELECT FROM unfinished_rankings r WHERE r.unfinished = made.id AND r.query = one.id);
        copied := false;
        IF by_topic THEN
            INSERT INTO unfinished_rankings (unfinished, query, docs, scores, spent)
            SELECT made.id, one.id, r.docs, r.scores, CASE taken WHEN 0 THEN search_queries.spent END
              FROM unfinished_rankings r JOIN st1_queries q ON q.id = r.query
             WHERE r.unfinished = made.id AND q.topic = one.topic
             LIMIT 1;
            copied := FOUND;
        END IF;
        IF NOT copied THEN
            INSERT INTO unfinished_rankings (unfinished, query, docs, scores, spent)
            SELECT made.id, one.id, s.docs, s.scores, CASE taken WHEN 0 THEN search_queries.spent END
              FROM query_ranking(one.query, one.text, made.params ->> 'system', (made.params ->> 'depth')::integer,
                                 nullif(made.params -> 'filter', 'null'), made.params ->> 'model',
                                 CASE WHEN of_articles THEN (made.params ->> 'chunk')::integer END) s;
        END IF;
        taken := taken + 1;
        -- The server has room for some thousand locks.
        EXIT WHEN taken >= 500 OR clock_timestamp() > began + make_interval(secs => search_queries.seconds);
    END LOOP;
    done := (SELECT count(*) FROM unfinished_rankings r WHERE r.unfinished = made.id);
END
$$;
COMMENT ON FUNCTION search_queries(integer, double precision, jsonb) IS
'Search the next queries of an unfinished run for some seconds and store their rankings; several sessions may call it';
