-- corpus_reopen: prepare a loaded file to be loaded again, to replace documents that differ from it.
--
-- following: paths that the same command loads after the file; documents that they replaced are not given back.
-- kept: the reason of rejects whose earlier document was kept.
-- Returns false, and changes nothing, if the stored documents are those of the file: no earlier document was kept, and
-- no other file with some of its documents was loaded after it. Until the load is complete, the file is 'incomplete'.
CREATE OR REPLACE FUNCTION corpus_reopen(file integer, following text[], kept text) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    UPDATE corpus_files f SET state = 'incomplete'
     WHERE f.id = corpus_reopen.file AND f.state = 'loaded'
       AND (EXISTS (SELECT FROM corpus_rejects r WHERE r.file = f.id AND right(r.reason, length(kept)) = kept)
            OR EXISTS (
           SELECT FROM corpus_files o JOIN corpus_chunks k ON k.file = o.id CROSS JOIN unnest(k.docs) AS u (id)
            WHERE o.id <> f.id AND o.path <> ALL (following) AND (o.state <> 'loaded' OR o.finished > f.finished)
              AND u.id IN (SELECT unnest(c.docs) FROM corpus_chunks c WHERE c.file = f.id)));
    IF FOUND THEN
        UPDATE corpus_chunks k SET incomplete = true WHERE k.file = corpus_reopen.file;
    END IF;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION corpus_reopen(integer, text[], text) IS
'Prepare a loaded file to be loaded again, to replace documents that differ from it';
