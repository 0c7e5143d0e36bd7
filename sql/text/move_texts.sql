-- move_texts: store rows of dblp_text again, each as a tuple that every index can point to. index_text and 'stc text
-- index' call it for the documents that a new BM25 index does not find.
--
-- PostgreSQL updates a row in place, as a heap-only tuple, if no indexed column changes and the page has room.
-- pg_textsearch 1.0 indexes the position of this tuple instead of the start of its chain, where PostgreSQL looks, and
-- never finds it. Updates that change an indexed column store a normal tuple: the temporary index makes title and
-- abstract such columns. The second update restores the texts. Triggers do not fire, because no text changes. Readers
-- do not wait.
CREATE OR REPLACE PROCEDURE move_texts(ids bigint[])
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    disabled text;
    enabled text;
BEGIN
    LOCK TABLE dblp_text IN SHARE ROW EXCLUSIVE MODE;
    SELECT string_agg(format('DISABLE TRIGGER %I', t.tgname), ', '),
           string_agg(format('ENABLE %sTRIGGER %I',
                             CASE t.tgenabled WHEN 'A' THEN 'ALWAYS ' WHEN 'R' THEN 'REPLICA ' END, t.tgname), ', ')
      INTO disabled, enabled
      FROM pg_trigger t WHERE t.tgrelid = 'dblp_text'::regclass AND NOT t.tgisinternal AND t.tgenabled <> 'D';
    IF disabled IS NOT NULL THEN  -- a distributed table has none
        EXECUTE concat('ALTER TABLE dblp_text ', disabled);
    END IF;
    CREATE INDEX dblp_text_moved ON dblp_text ((title IS NULL), (abstract IS NULL));
    UPDATE dblp_text t SET title = ' ' || t.title, abstract = ' ' || t.abstract WHERE t.id = ANY (move_texts.ids);
    UPDATE dblp_text t SET title = substr(t.title, 2), abstract = substr(t.abstract, 2)
     WHERE t.id = ANY (move_texts.ids);
    DROP INDEX dblp_text_moved;
    IF enabled IS NOT NULL THEN
        EXECUTE concat('ALTER TABLE dblp_text ', enabled);
    END IF;
END
$$;
COMMENT ON PROCEDURE move_texts(bigint[]) IS
'Store rows of dblp_text anew, so that pg_textsearch finds them';
