-- remove_documents: remove documents with everything computed from them: text, vectors, passages, measures. The
-- arguments are those of stage_document_removal, which raises the errors.
--
-- A document used by judgments, runs or other records becomes a stub, as if it had never been loaded. Judgments,
-- rankings and therefore scores do not change. The next load of its file fills the stub. Removed files are deleted from
-- the ledger. Other files that contain the documents are marked as incomplete, so that loading them again stores the
-- missing documents.
-- removed: number of deleted documents; kept: number that are now stubs; shared: as counted by stage_document_removal.
-- Loads wait until the removal ends.
CREATE OR REPLACE FUNCTION remove_documents(
    files integer[] DEFAULT '{}', docnos text[] DEFAULT '{}', stubs boolean DEFAULT false,
    OUT removed bigint, OUT kept bigint, OUT shared bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    PERFORM check_removal('dblp', 'DELETE', 'documents');
    LOCK TABLE corpus_chunks IN SHARE ROW EXCLUSIVE MODE;
    PERFORM prepare_removal(staged => false);
    shared := stage_document_removal(remove_documents.files, remove_documents.docnos, remove_documents.stubs);
    -- Lock first: the next statement then sees the changes of the transactions that this one waited for.
    PERFORM prepare_removal(staged => true);
    PERFORM count(*) FROM removal_dependents('dblp');

    CREATE TEMP TABLE removal_chunks ON COMMIT DROP AS
        SELECT k.file, k.chunk, array_agg(r.id) AS docs
          FROM corpus_chunks k CROSS JOIN unnest(k.docs) AS u (id) JOIN pg_temp.removal r ON r.id = u.id
         WHERE k.file <> ALL (remove_documents.files) AND cardinality(remove_documents.docnos) > 0
         GROUP BY k.file, k.chunk;
    -- Documents of no recorded chunk may belong to any chunk that an earlier version stored.
    INSERT INTO pg_temp.removal_chunks (file, chunk)
    SELECT k.file, k.chunk FROM corpus_chunks k
     WHERE k.docs IS NULL AND cardinality(remove_documents.docnos) > 0
       AND EXISTS (SELECT r.id FROM pg_temp.removal r EXCEPT SELECT unnest(c.docs) FROM pg_temp.removal_chunks c);
    UPDATE corpus_chunks k SET incomplete = true FROM pg_temp.removal_chunks c
     WHERE (k.file, k.chunk) = (c.file, c.chunk);
    UPDATE corpus_files f SET state = 'incomplete'
     WHERE f.state = 'loaded' AND f.id IN (SELECT c.file FROM pg_temp.removal_chunks c);
    DROP TABLE pg_temp.removal_chunks;

    FOR one IN SELECT r.relation, r.attribute FROM referencing('dblp') r WHERE NOT r.keeps LOOP
        EXECUTE format('DELETE FROM %s c USING pg_temp.removal r WHERE r.id = c.%I', one.relation, one.attribute);
    END LOOP;
    UPDATE dblp d SET doc = '{}', stub = true FROM pg_temp.removal r WHERE r.id = d.id AND r.kept AND NOT d.stub;
    DELETE FROM dblp d USING pg_temp.removal r WHERE r.id = d.id AND NOT r.kept;
    GET DIAGNOSTICS removed = ROW_COUNT;
    kept := (SELECT count(*) FROM pg_temp.removal r WHERE r.kept);
    DELETE FROM corpus_files f WHERE f.id = ANY (remove_documents.files);
    DROP TABLE pg_temp.removal;
END
$$;
COMMENT ON FUNCTION remove_documents(integer[], text[], boolean) IS
'Remove documents of files, by name, or all stubs; a document used by judgments or runs becomes a stub';
