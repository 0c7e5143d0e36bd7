-- order_text: sort the rows of dblp_text by id, and remove heap-only tuples. index_text calls it and holds the lock.
--
-- pg_textsearch adds the parts of a score in single precision, in an order that depends on the position of the rows.
-- Parallel workers leave the rows in a different order at each load, and the last digit of scores then differs, which
-- can swap two documents. It also does not find rows that were updated in place (move_texts). Therefore the first build
-- sorts the rows if they are not sorted, or if the server counted such updates. This rewrites the table, and readers
-- wait until the build ends. If a BM25 index exists, the table is not rewritten: a rollback would remove the index
-- while other sessions use it (see index_text).
CREATE OR REPLACE PROCEDURE order_text()
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF to_regclass('dblp_text_bm25') IS NULL
        AND (pg_stat_get_tuples_hot_updated('dblp_text'::regclass)
             + pg_stat_get_xact_tuples_hot_updated('dblp_text'::regclass) > 0
             OR EXISTS (SELECT FROM (SELECT t.id, lag(t.id) OVER (ORDER BY t.ctid) AS before FROM dblp_text t) s
                         WHERE s.id < s.before))
    THEN
        CLUSTER dblp_text USING dblp_text_pkey;
        ALTER TABLE dblp_text SET WITHOUT CLUSTER;
    END IF;
END
$$;
COMMENT ON PROCEDURE order_text() IS
'Part of index_text: sort the rows of dblp_text by id, so that scores do not depend on the load, and remove heap-only '
'tuples';
