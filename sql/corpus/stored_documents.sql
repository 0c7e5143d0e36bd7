-- stored_documents: whether the load of a file of the ledger stored a document, or found one stored already.
CREATE OR REPLACE FUNCTION stored_documents(file integer) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM corpus_files f WHERE f.id = stored_documents.file AND f.documents + f.duplicates > 0)
        OR EXISTS (SELECT FROM corpus_chunks k
                    WHERE k.file = stored_documents.file AND k.documents + k.duplicates > 0)
$$;
COMMENT ON FUNCTION stored_documents(integer) IS
'Whether the load of a file of the ledger stored a document, or found one stored already';
