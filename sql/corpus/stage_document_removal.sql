-- stage_document_removal: makes the temporary table removal of the documents that are to be removed: those of files of
-- the ledger, those of some names, or all stubs.
--
-- A document that another file of the ledger has too is left out; shared counts these. Stubs are not documents of a
-- file.
-- Raises IR104 for a name that is not stored, IR405 for a file whose documents were not recorded, IR410 for a role that
-- may not remove documents.
CREATE OR REPLACE FUNCTION stage_document_removal(
    files integer[] DEFAULT '{}', docnos text[] DEFAULT '{}', stubs boolean DEFAULT false, OUT shared bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET client_min_messages = warning AS $$
DECLARE
    bad record;
BEGIN
    PERFORM check_removal('dblp', 'documents');
    DROP TABLE IF EXISTS pg_temp.removal;
    CREATE TEMP TABLE removal (id bigint PRIMARY KEY, kept boolean NOT NULL DEFAULT false) ON COMMIT DROP;
    SELECT f.path INTO bad FROM corpus_files f
     WHERE f.id = ANY (stage_document_removal.files)
       AND EXISTS (SELECT FROM corpus_chunks k WHERE k.file = f.id AND k.docs IS NULL) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('which documents %s has was not recorded: an earlier version loaded it', bad.path),
            HINT = 'Name the documents: stc corpus remove DOCNO…, or --docnos FILE with one a line.';
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
     WHERE NOT EXISTS (SELECT FROM dblp d WHERE d.docno = n.docno COLLATE "C") LIMIT 1;
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
'Makes the temporary table removal of the documents of files, of some names, or of all stubs';
