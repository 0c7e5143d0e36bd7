-- order_text: put the rows of dblp_text in the order of their ids. Part of index_text, which holds the lock.
--
-- pg_textsearch adds the parts of a score in single precision, in an order that depends on where rows lie. Several
-- workers leave them in another order at each load, and scores then differ in their last digit: enough to swap two
-- documents. So the first build sorts the rows if they are not in order, which rewrites the table, and readers wait
-- until the build ends. Where a BM25 index exists, the rows stay where they are: a rollback would take the index from
-- under other sessions (see index_text).
CREATE OR REPLACE PROCEDURE order_text()
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF to_regclass('dblp_text_bm25') IS NULL
        AND EXISTS (SELECT FROM (SELECT t.id, lag(t.id) OVER (ORDER BY t.ctid) AS before FROM dblp_text t) s
                     WHERE s.id < s.before)
    THEN
        CLUSTER dblp_text USING dblp_text_pkey;
        ALTER TABLE dblp_text SET WITHOUT CLUSTER;
    END IF;
END
$$;
COMMENT ON PROCEDURE order_text() IS
'Part of index_text: rows in the order of their ids, so that scores do not depend on the load';
