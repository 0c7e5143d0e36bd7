-- prepare_removal: as corpus/prepare_removal.sql, for several servers. Nobody stores documents until the removal ends.
-- If texts are removed, the text index is marked as stale, as the dropped trigger would do (text_mark_stale).
CREATE OR REPLACE FUNCTION prepare_removal(staged boolean)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    texts bigint;
BEGIN
    IF NOT prepare_removal.staged THEN
        PERFORM lock_documents();
        RETURN;
    END IF;
    SELECT count(*) INTO texts FROM dblp_text t WHERE t.id = ANY (ARRAY(SELECT r.id FROM pg_temp.removal r));
    UPDATE text_index i SET stale = true WHERE NOT i.stale AND texts > 0;
END
$$;
COMMENT ON FUNCTION prepare_removal(boolean) IS
'Part of remove_documents: keep other sessions from changing the documents to remove';
