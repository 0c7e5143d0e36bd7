-- open_to_assess: token of the next document that an annotator should judge, as next_to_assess, but without a lock; for
-- web pages, which have no database session. Only for one query if query is given, and only for queries of a set
-- (query_set) if query_set is given.
--
-- passed: tokens to skip because they are shown elsewhere. Documents that a terminal shows (assessment_lock) are
-- skipped too. NULL if there are no more.
-- Raises IR103 no such query in the pool, or the set names no query of it, IR110 no such pool, IR202 the pool is not
-- shared with the annotator.
CREATE OR REPLACE FUNCTION open_to_assess(pool text, annotator text, query text DEFAULT NULL,
                                          passed text[] DEFAULT '{}', query_set text DEFAULT 'all') RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
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
            HINT = 'stc.pool_queries(pool) lists the queries.';
    END IF;
    PERFORM pool_of_set(open_to_assess.pool, open_to_assess.query_set);
    RETURN (
        SELECT s.token
          FROM pool_share(open_to_assess.pool, open_to_assess.annotator) s
          JOIN st1_queries q ON q.id = s.query
          LEFT JOIN qrels_assessments a
            ON a.pool = pool_id AND a.query = s.query AND a.doc = s.doc
                AND a.annotator = open_to_assess.annotator COLLATE "C"
         WHERE a.rel IS NULL AND NOT coalesce(a.undecided, false)
           AND (open_to_assess.query IS NULL OR q.query = open_to_assess.query COLLATE "C")
           AND s.query IN (SELECT unnest(query_set_ids(open_to_assess.query_set)))
           AND s.token <> ALL (coalesce(open_to_assess.passed, '{}'))
           AND assessment_lock(open_to_assess.pool, open_to_assess.annotator, s.token) <> ALL (held)
         ORDER BY a.changed NULLS FIRST, s.place LIMIT 1);
END
$$;
COMMENT ON FUNCTION open_to_assess(text, text, text, text[], text) IS
    'Token of the next document an annotator should judge, of one query, a set or all, without a lock; NULL if '
    'there are no more';
