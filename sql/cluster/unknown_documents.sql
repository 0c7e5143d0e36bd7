-- unknown_documents: {}, because a distributed collection has no keys to documents. 'stc db check' finds rows of
-- missing documents. corpus/unknown_documents.sql is for one server.
CREATE OR REPLACE FUNCTION unknown_documents(docs bigint[], hold boolean)
RETURNS bigint[]
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN '{}';
END
$$;
COMMENT ON FUNCTION unknown_documents(bigint[], boolean) IS
'Documents that are not stored, of those that rows refer to; none if documents are on other servers';
