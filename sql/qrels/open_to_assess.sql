-- open_to_assess: the token of what an annotator is to judge next, as next_to_assess, for a page that has no session of
-- its own: nothing is held by a lock. Of one query where one is named.
--
-- passed: tokens that are not to be given, since they are in hand elsewhere. What a terminal shows (assessment_lock) is
-- passed over too.
-- Raises IR103 no such query in the pool, IR110 no such pool, IR202 an annotator the pool is not shared with.
CREATE OR REPLACE FUNCTION open_to_assess(pool text, annotator text, query text DEFAULT NULL,
                                          passed text[] DEFAULT '{}') RETURNS text
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(open_to_assess.pool);
    held bigint[] := ARRAY(SELECT (l.classid::bigint << 32) | l.objid::bigint FROM pg_locks l
                            WHERE l.locktype = 'advisory' AND l.objsubid = 1
                              AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()));
BEGIN
    IF open_to_assess.query IS NOT NULL AND NOT EXISTS (
            SELECT FROM qrels_pool_documents d JOIN st1_queries q ON q.id = d.query
             WHERE d.pool = pool_id AND q.query = open_to_assess.query COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('no query %L in the pool %L', open_to_assess.query, open_to_assess.pool),
            HINT = 'stc.pool_queries(pool) lists them.';
    END IF;
    RETURN (
        SELECT s.token
          FROM pool_share(open_to_assess.pool, open_to_assess.annotator) s
          JOIN st1_queries q ON q.id = s.query
          LEFT JOIN qrels_assessments a
            ON a.pool = pool_id AND a.query = s.query AND a.doc = s.doc
                AND a.annotator = open_to_assess.annotator COLLATE "C"
         WHERE a.rel IS NULL AND (open_to_assess.query IS NULL OR q.query = open_to_assess.query COLLATE "C")
           AND s.token <> ALL (coalesce(open_to_assess.passed, '{}'))
           AND assessment_lock(open_to_assess.pool, open_to_assess.annotator, s.token) <> ALL (held)
         ORDER BY a.changed NULLS FIRST, s.place LIMIT 1);
END
$$;
COMMENT ON FUNCTION open_to_assess(text, text, text, text[]) IS
'What an annotator is to judge next, of one query or all; nothing is held';
