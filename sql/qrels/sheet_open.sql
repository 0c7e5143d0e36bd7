-- sheet_open: documents of one query on an annotator's sheet that have no decision, and that neither passed nor held
-- names.
--
-- Arguments: keys of pool and query as in pool_share; passed: tokens; held: keys of assessment_lock; only_batch: only
-- documents of this batch.
CREATE OR REPLACE FUNCTION sheet_open(pool text, annotator text, only_query integer, passed text[], held bigint[],
                                      only_batch integer DEFAULT NULL)
RETURNS TABLE (place integer, token text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.place, s.token FROM pool_share(sheet_open.pool, sheet_open.annotator, sheet_open.only_query) s
     WHERE NOT EXISTS (SELECT FROM qrels_assessments a
                        WHERE a.pool = pool_key(sheet_open.pool) AND a.query = s.query AND a.doc = s.doc
                          AND a.annotator = sheet_open.annotator COLLATE "C")
       AND (sheet_open.only_batch IS NULL OR s.batch = sheet_open.only_batch)
       AND s.token <> ALL (coalesce(sheet_open.passed, '{}'))
       AND assessment_lock(sheet_open.pool, sheet_open.annotator, s.token) <> ALL (coalesce(sheet_open.held, '{}'))
$$;
COMMENT ON FUNCTION sheet_open(text, text, integer, text[], bigint[], integer) IS
    'Documents of one query on an annotator''s sheet without a decision, except some tokens and locked documents';
