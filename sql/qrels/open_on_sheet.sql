-- open_on_sheet: the next documents that an annotator should judge, in order: first those without a decision, in the
-- order of the sheet, then skipped ones, the earliest skipped first; no lock is taken. At most ``most`` rows.
--
--   query      only this query
--   passed     tokens to skip because they are shown elsewhere; documents that a terminal shows (assessment_lock) are
--              skipped too
--   query_set  only queries of this set
--   near       name of a query whose documents without a decision come first, of the first batch with such documents
--              (order_pool), such as that of the document judged last: without batches, nothing else has to be read
--
-- Raises IR103 no such query in the pool, or the set names no query of it, IR110 no such pool, IR202 the pool is not
-- shared with the annotator.
CREATE OR REPLACE FUNCTION open_on_sheet(pool text, annotator text, query text DEFAULT NULL,
                                         passed text[] DEFAULT '{}', query_set text DEFAULT 'all',
                                         most integer DEFAULT 1, near text DEFAULT NULL)
RETURNS TABLE (query_name text, token text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(open_on_sheet.pool);
    seed text := (SELECT p.params ->> 'seed' FROM qrels_pools p WHERE p.id = pool_id);
    batches boolean := (SELECT p.params ? 'order' FROM qrels_pools p WHERE p.id = pool_id);
    held bigint[] := ARRAY(SELECT (l.classid::bigint << 32) | l.objid::bigint FROM pg_locks l
                            WHERE l.locktype = 'advisory' AND l.objsubid = 1
                              AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()));
    chosen integer[];
    near_id integer;
    remaining integer := open_on_sheet.most;
    given integer;
    at record;
BEGIN
    IF open_on_sheet.query IS NOT NULL AND NOT EXISTS (
            SELECT FROM qrels_pool_documents d JOIN st1_queries q ON q.id = d.query
             WHERE d.pool = pool_id AND q.query = open_on_sheet.query COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('no query %L in the pool %L', open_on_sheet.query, open_on_sheet.pool),
            HINT = 'stc.pool_queries(pool) lists the queries.';
    END IF;
    IF open_on_sheet.query_set <> 'all' THEN
        PERFORM pool_of_set(open_on_sheet.pool, open_on_sheet.query_set);
        chosen := query_set_ids(open_on_sheet.query_set);
    END IF;
    SELECT q.id INTO near_id FROM st1_queries q
     WHERE q.query = open_on_sheet.near COLLATE "C"
       AND (open_on_sheet.query IS NULL OR q.query = open_on_sheet.query COLLATE "C")
       AND (chosen IS NULL OR q.id = ANY (chosen));
    IF near_id IS NOT NULL AND NOT batches THEN
        RETURN QUERY SELECT open_on_sheet.near, o.token
          FROM sheet_open(open_on_sheet.pool, open_on_sheet.annotator, near_id, open_on_sheet.passed, held) o
         ORDER BY o.place LIMIT remaining;
        GET DIAGNOSTICS given = ROW_COUNT;
        remaining := remaining - given;
    END IF;
    IF remaining <= 0 THEN
        RETURN;
    END IF;
    FOR at IN
        SELECT q.id, q.query AS name, m.batch
          FROM (SELECT DISTINCT m.query, m.batch
                  FROM share_documents(open_on_sheet.pool, open_on_sheet.annotator) m
                 WHERE NOT EXISTS (SELECT FROM qrels_assessments a
                                    WHERE a.pool = pool_id AND a.query = m.query AND a.doc = m.doc
                                      AND a.annotator = open_on_sheet.annotator COLLATE "C")) m
          JOIN st1_queries q ON q.id = m.query
         WHERE (open_on_sheet.query IS NULL OR q.query = open_on_sheet.query COLLATE "C")
           AND (chosen IS NULL OR q.id = ANY (chosen)) AND (batches OR q.id IS DISTINCT FROM near_id)
         ORDER BY m.batch, q.id IS DISTINCT FROM near_id, sheet_place(seed, open_on_sheet.annotator, q.query), q.query
    LOOP
        RETURN QUERY SELECT at.name, o.token
          FROM sheet_open(open_on_sheet.pool, open_on_sheet.annotator, at.id, open_on_sheet.passed, held,
                          at.batch) o
         ORDER BY o.place LIMIT remaining;
        GET DIAGNOSTICS given = ROW_COUNT;
        remaining := remaining - given;
        IF remaining <= 0 THEN
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY
    SELECT a.name, s.token
      FROM (SELECT q.id, q.query AS name, a.doc, a.changed
              FROM qrels_assessments a
              JOIN st1_queries q ON q.id = a.query
             WHERE a.pool = pool_id AND a.annotator = open_on_sheet.annotator COLLATE "C" AND a.rel IS NULL
               AND NOT a.undecided AND (open_on_sheet.query IS NULL OR q.query = open_on_sheet.query COLLATE "C")
               AND (chosen IS NULL OR q.id = ANY (chosen))) a
     CROSS JOIN LATERAL pool_share(open_on_sheet.pool, open_on_sheet.annotator, a.id) s
     WHERE s.doc = a.doc AND s.token <> ALL (coalesce(open_on_sheet.passed, '{}'))
       AND assessment_lock(open_on_sheet.pool, open_on_sheet.annotator, s.token) <> ALL (held)
     ORDER BY a.changed, a.name, s.place LIMIT remaining;
END
$$;
COMMENT ON FUNCTION open_on_sheet(text, text, text, text[], text, integer, text) IS
    'The next documents an annotator should judge, of one query, a set or all, without a lock; no row if there are '
    'none';
