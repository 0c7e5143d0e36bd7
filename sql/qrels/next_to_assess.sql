-- next_to_assess: token of the next document that an annotator should judge: the first open one of the sheet, then
-- skipped ones, the earliest skipped first; NULL if there are no more. Only for queries of a set (query_set).
--
-- The session holds an advisory lock on the document, so that a second session of the same annotator gets another one;
-- documents locked by other sessions are passed over. Release the lock with pg_advisory_unlock(assessment_lock(…)); it
-- also ends with the session.
-- Raises IR103 the set names no query of the pool, IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION next_to_assess(pool text, annotator text, query_set text DEFAULT 'all') RETURNS text
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(next_to_assess.pool);
    one record;
BEGIN
    PERFORM pool_of_set(next_to_assess.pool, next_to_assess.query_set);
    FOR one IN
        SELECT s.token, s.query, s.doc, a.changed
          FROM pool_share(next_to_assess.pool, next_to_assess.annotator) s
          LEFT JOIN qrels_assessments a
            ON a.pool = pool_id AND a.query = s.query AND a.doc = s.doc
                AND a.annotator = next_to_assess.annotator COLLATE "C"
         WHERE a.rel IS NULL AND NOT coalesce(a.undecided, false)
           AND s.query IN (SELECT unnest(query_set_ids(next_to_assess.query_set)))
         ORDER BY a.changed NULLS FIRST, s.place
    LOOP
        CONTINUE WHEN NOT pg_try_advisory_lock(
                                               assessment_lock(next_to_assess.pool, next_to_assess.annotator,
                                                               one.token));
        -- Another session may have judged or skipped it and released the lock since the sheet was read.
        IF EXISTS (SELECT FROM qrels_assessments a
                    WHERE a.pool = pool_id AND a.query = one.query AND a.doc = one.doc
                      AND a.annotator = next_to_assess.annotator COLLATE "C"
                      AND (a.rel IS NOT NULL OR a.undecided OR a.changed IS DISTINCT FROM one.changed)) THEN
            PERFORM pg_advisory_unlock(assessment_lock(next_to_assess.pool, next_to_assess.annotator, one.token));
            CONTINUE;
        END IF;
        RETURN one.token;
    END LOOP;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION next_to_assess(text, text, text) IS
    'Token of the next document an annotator should judge, of a set of queries or all, locked for this session; NULL '
    'if there are no more';
