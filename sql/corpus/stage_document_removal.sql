-- stage_document_removal: create the temporary table removal, which lists the documents to remove: documents of files
-- of the ledger, of given names, or all stubs.
--
-- Documents that another file of the ledger also contains are not listed; shared is their number. Stubs do not belong
-- to a file.
-- Raises IR104 for a name that is not stored, IR405 for a file whose documents were not recorded, IR410 for a role
-- without the right to remove documents.
CREATE OR REPLACE FUNCTION stage_document_removal(
    files integer[] DEFAULT '{}', docnos text[] DEFAULT '{}', stubs boolean DEFAULT false, OUT shared bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
DECLARE
    bad record;
BEGIN
    PERFORM check_removal('dblp', 'DELETE', 'documents');
    DROP TABLE IF EXISTS pg_temp.removal;
    CREATE TEMP TABLE removal (id bigint PRIMARY KEY, kept boolean NOT NULL DEFAULT false) ON COMMIT DROP;
    SELECT f.path INTO bad FROM corpus_files f
     WHERE f.id = ANY (stage_document_removal.files)
       AND EXISTS (SELECT FROM corpus_chunks k WHERE k.file = f.id AND k.docs IS NULL) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the documents of %s were not recorded, because an earlier version loaded it', bad.path),
            HINT = 'Name the documents: stc drop documents DOCNO…, or --docnos FILE with one docno per line.';
    END IF;
    INSERT INTO pg_temp.removal (id)
    SELECT DISTINCT d.id
      FROM corpus_chunks k CROSS JOIN unnest(k.docs) AS u (id) JOIN dblp d ON d.id = u.id AND NOT d.stub
     WHERE k.file = ANY (stage_document_removal.files);
    DELETE FROM pg_temp.removal r
     USING (SELECT DISTINCT unnest(k.docs) AS id FROM corpus_chunks k
             WHERE k.file <> ALL (stage_document_removal.files) AND EXISTS (SELECT FROM pg_temp.removal)) o
     WHERE o.id = r.id;
    GET DIAGNOSTICS shared = ROW_COUNT;

    SELECT n.docno, count(*) OVER () - 1 AS others INTO bad FROM unnest(stage_document_removal.docnos) AS n (docno)
     WHERE n.docno COLLATE "C" NOT IN (SELECT d.docno FROM dblp d WHERE d.docno = ANY (stage_document_removal.docnos))
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR104',
            MESSAGE = format('there is no document %s%s', shown_name(bad.docno),
                             CASE WHEN bad.others > 0 THEN format(', and %s more are not stored', bad.others) END),
            HINT = 'Nothing was removed.';
    END IF;
    INSERT INTO pg_temp.removal (id)
    SELECT d.id FROM dblp d WHERE d.docno = ANY (stage_document_removal.docnos)
     UNION
    SELECT d.id FROM dblp d WHERE stage_document_removal.stubs AND d.stub
    ON CONFLICT DO NOTHING;
    ANALYZE pg_temp.removal;
END
$$;
COMMENT ON FUNCTION stage_document_removal(integer[], text[], boolean) IS
'Create the temporary table removal: the documents of files, of given names, or all stubs';
