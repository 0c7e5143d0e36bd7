-- corpus_begin: add a file to the ledger, in the transaction that stores its first documents; or find it, if another
-- process began to load it in the meantime.
--
-- A load that stores nothing therefore leaves nothing in the ledger, even if it is killed. Rows that earlier versions
-- left of such loads of the file are deleted. A file without SHA-256 (standard input, not yet read) is always new.
-- Raises IR202 as corpus_resume.
CREATE OR REPLACE FUNCTION corpus_begin(path text, sha256 text, bytes bigint, format text) RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    found_file integer;
BEGIN
    LOCK TABLE corpus_files IN SHARE ROW EXCLUSIVE MODE;   -- concurrent loads of one file share its row
    found_file := (SELECT r.file FROM corpus_resume(corpus_begin.path, corpus_begin.sha256, corpus_begin.format) r);
    IF found_file IS NULL THEN
        DELETE FROM corpus_files f WHERE f.sha256 = corpus_begin.sha256 AND NOT stored_documents(f.id);
        INSERT INTO corpus_files AS f (path, sha256, bytes, format)
        VALUES (corpus_begin.path, corpus_begin.sha256, corpus_begin.bytes, corpus_begin.format)
        RETURNING f.id INTO found_file;
    END IF;
    RETURN found_file;
END
$$;
COMMENT ON FUNCTION corpus_begin(text, text, bigint, text) IS
'Add a file to the ledger, in the transaction that stores its first documents';
