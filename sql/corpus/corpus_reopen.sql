-- corpus_reopen: prepare a loaded file to be loaded again, to replace documents that differ from it.
--
-- Returns false, and changes nothing, if the stored documents are certainly those of the file: it had no duplicates, and
-- no other file was loaded after it. Until the load is complete, the state of the file is 'incomplete'.
CREATE OR REPLACE FUNCTION corpus_reopen(file integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    UPDATE corpus_files f SET state = 'incomplete'
     WHERE f.id = corpus_reopen.file AND f.state = 'loaded'
       AND (f.duplicates > 0 OR EXISTS (
           SELECT FROM corpus_files o
            WHERE o.id <> f.id AND (o.state <> 'loaded' OR o.finished > f.finished)));
    IF FOUND THEN
        UPDATE corpus_chunks k SET incomplete = true WHERE k.file = corpus_reopen.file;
    END IF;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION corpus_reopen(integer) IS
'Prepare a loaded file to be loaded again, to replace documents that differ from it';
