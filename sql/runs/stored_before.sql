-- stored_before: {}, because the unique key of docnos skips those that are stored. Part of store_stubs.
CREATE OR REPLACE FUNCTION stored_before(docnos text[])
RETURNS text[]
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN '{}';
END
$$;
COMMENT ON FUNCTION stored_before(text[]) IS
'Part of store_stubs: docnos that are stored, if no unique key skips them';
