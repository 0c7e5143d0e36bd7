-- keep_ranked: trigger that refuses to delete a document, or to change its id, while a run ranks it. It takes the place
-- of a foreign key, which arrays cannot have; check_rankings has the other half.
--
-- It waits for sessions that are storing lists, and they wait for it. It reads all ranked lists, so delete many
-- documents in one statement.
-- Raises IR202 another isolation level than READ COMMITTED, and PostgreSQL's error of a foreign key (23503).
--
-- SECURITY DEFINER, like PostgreSQL's checks of foreign keys: a role that deletes documents need not see all runs.
--
-- Safe because: it only reads ids of documents that the caller deletes; no role may call it or attach it to a table.
CREATE OR REPLACE FUNCTION keep_ranked() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    ids bigint[];
    bad bigint;
BEGIN
    IF tg_op = 'DELETE' THEN
        ids := ARRAY(SELECT r.id FROM removed r);
    ELSIF tg_op = 'UPDATE' THEN
        ids := ARRAY[old.id];
    END IF;
    IF ids = '{}' THEN
        RETURN NULL;
    END IF;
    PERFORM check_isolation('documents are not deleted');
    LOCK TABLE ranked_lists IN SHARE MODE;  -- conflicts with every INSERT and UPDATE
    IF ids IS NULL THEN
        SELECT l.docs[1] INTO bad FROM ranked_lists l LIMIT 1;
    ELSE
        SELECT k.doc INTO bad FROM rankings_of(ids) k LIMIT 1;
    END IF;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '23503', TABLE = 'st1_rankings', CONSTRAINT = 'st1_rankings_doc_fkey',
            MESSAGE = 'update or delete on table "dblp" violates foreign key constraint "st1_rankings_doc_fkey" on '
                      'table "st1_rankings"',
            DETAIL = format('Key (id)=(%s) is still referenced from table "st1_rankings".', bad),
            HINT = 'SELECT stc.remove_documents(…) makes it a stub; or drop the runs first.';
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION keep_ranked() IS 'Trigger: refuses to delete a document while a run ranks it';
CREATE OR REPLACE TRIGGER dblp_keep_ranked AFTER DELETE ON dblp
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_ranked();
CREATE OR REPLACE TRIGGER dblp_keep_ranked_id AFTER UPDATE OF id ON dblp
    FOR EACH ROW WHEN (old.id <> new.id) EXECUTE FUNCTION keep_ranked();
CREATE OR REPLACE TRIGGER dblp_keep_ranked_truncate AFTER TRUNCATE ON dblp
    FOR EACH STATEMENT EXECUTE FUNCTION keep_ranked();
