-- stored_before: those of these docnos that are stored, which takes the place of the unique key of docnos. Until the
-- end of the transaction, no other session stores documents. Part of store_stubs.
CREATE OR REPLACE FUNCTION stored_before(docnos text[])
RETURNS text[]
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM lock_documents();
    RETURN coalesce((SELECT array_agg(d.docno) FROM dblp d WHERE d.docno = ANY (stored_before.docnos)), '{}');
END
$$;
COMMENT ON FUNCTION stored_before(text[]) IS
'Part of store_stubs: docnos that are stored, if no unique key skips them';
