-- prepare_removal: keep other sessions from changing the documents to remove (pg_temp.removal) until the end of the
-- transaction. Part of remove_documents, which calls it before and after it has chosen them (staged).
CREATE OR REPLACE FUNCTION prepare_removal(staged boolean)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF prepare_removal.staged THEN
        PERFORM FROM dblp d WHERE d.id IN (SELECT r.id FROM pg_temp.removal r) ORDER BY d.id FOR UPDATE;
    ELSE
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('st1_complexity_metrics', 0));
    END IF;
END
$$;
COMMENT ON FUNCTION prepare_removal(boolean) IS
'Part of remove_documents: keep other sessions from changing the documents to remove';
