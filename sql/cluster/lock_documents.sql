-- lock_documents: until the end of the transaction, no other session stores documents, readability measures or passages
-- in a distributed collection. It takes the place of unique keys that Citus does not support.
CREATE OR REPLACE FUNCTION lock_documents()
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(documents_lock());
    PERFORM pg_advisory_xact_lock(hashtextextended('st1_complexity_metrics', 0));  -- see store_measures
END
$$;
COMMENT ON FUNCTION lock_documents() IS
'Until the end of the transaction, no other session stores documents or measures in a distributed collection';
