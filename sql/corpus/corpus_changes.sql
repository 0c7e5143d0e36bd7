-- corpus_changes: compare a file of the ledger with the version previously loaded from the same path.
--
-- earlier: SHA-256 of that version; NULL if this is the first version, or if its documents were not recorded. added:
-- number of documents that only the file contains; common: number that both contain; gone: number that only the
-- previous version contains and that are still in the corpus.
CREATE OR REPLACE FUNCTION corpus_changes(
    file integer, OUT earlier text, OUT added bigint, OUT common bigint, OUT gone bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    before integer;
    only_before bigint[];
BEGIN
    SELECT o.id, o.sha256 INTO before, earlier
      FROM corpus_files f JOIN corpus_files o ON o.path = f.path AND o.id < f.id AND o.sha256 <> f.sha256
     WHERE f.id = corpus_changes.file
       AND NOT EXISTS (SELECT FROM corpus_chunks k WHERE k.file IN (f.id, o.id) AND k.docs IS NULL)
     ORDER BY o.id DESC LIMIT 1;
    IF before IS NULL THEN
        RETURN;
    END IF;
    SELECT count(*) FILTER (WHERE o.id IS NULL), count(*) FILTER (WHERE o.id IS NOT NULL AND n.id IS NOT NULL),
           array_agg(o.id) FILTER (WHERE n.id IS NULL)
      INTO added, common, only_before
      FROM (SELECT DISTINCT unnest(k.docs) AS id FROM corpus_chunks k WHERE k.file = corpus_changes.file) n
      FULL JOIN (SELECT DISTINCT unnest(k.docs) AS id FROM corpus_chunks k WHERE k.file = before) o ON o.id = n.id;
    SELECT count(*) INTO gone FROM dblp d WHERE d.id = ANY (only_before) AND NOT d.stub;
END
$$;
COMMENT ON FUNCTION corpus_changes(integer) IS
'Compare a file of the ledger with the version previously loaded from the same path';
