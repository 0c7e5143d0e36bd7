-- next_to_assess: the token of what an annotator is to judge next: the first open document of the sheet, then those
-- skipped, the longest ago first; NULL when there is none.
--
-- The document is held for this session by an advisory lock, so that a second session of the same annotator gets
-- another one; what other sessions hold is passed over. The lock goes by pg_advisory_unlock(assessment_lock(…)), and
-- with the session however it ends.
-- Raises IR110 no such pool, IR202 an annotator the pool is not shared with.
CREATE OR REPLACE FUNCTION next_to_assess(pool text, annotator text) RETURNS text
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(next_to_assess.pool);
    one record;
BEGIN
    FOR one IN
        SELECT s.token, s.query, s.doc, a.changed
          FROM pool_share(next_to_assess.pool, next_to_assess.annotator) s
          LEFT JOIN qrels_assessments a
            ON a.pool = pool_id AND a.query = s.query AND a.doc = s.doc
                AND a.annotator = next_to_assess.annotator COLLATE "C"
         WHERE a.rel IS NULL
         ORDER BY a.changed NULLS FIRST, s.place
    LOOP
        CONTINUE WHEN NOT pg_try_advisory_lock(
                                               assessment_lock(next_to_assess.pool, next_to_assess.annotator,
                                                               one.token));
        -- Another session may have judged, or skipped, and released it since the sheet was read.
        IF EXISTS (SELECT FROM qrels_assessments a
                    WHERE a.pool = pool_id AND a.query = one.query AND a.doc = one.doc
                      AND a.annotator = next_to_assess.annotator COLLATE "C"
                      AND (a.rel IS NOT NULL OR a.changed IS DISTINCT FROM one.changed)) THEN
            PERFORM pg_advisory_unlock(assessment_lock(next_to_assess.pool, next_to_assess.annotator, one.token));
            CONTINUE;
        END IF;
        RETURN one.token;
    END LOOP;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION next_to_assess(text, text) IS
'What an annotator is to judge next, held for this session by an advisory lock';
