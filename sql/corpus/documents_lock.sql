-- documents_lock: key of the advisory lock on the documents of a distributed collection. Transactions that store or
-- remove documents take it (lock_documents), and a dump holds it while it reads.
CREATE OR REPLACE FUNCTION documents_lock() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT hashtextextended('documents of a distributed collection', 0)
$$;
COMMENT ON FUNCTION documents_lock() IS 'The key of the advisory lock on the documents of a distributed collection';
