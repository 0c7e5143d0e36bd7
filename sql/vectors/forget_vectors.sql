-- forget_vectors: trigger that deletes the vectors of a document by every model, and its passages, when its title or
-- abstract changes, because they were computed from another text. 'stc vectors embed' computes them again. SECURITY
-- DEFINER: roles that write documents have no rights on vectors.
--
-- Safe because: it deletes from tables in schema public alone that belong to the owner of dblp_text, found by oid; a
-- CHECK ties the names in vector_models to ours; no role may call it or put it on a table.
CREATE OR REPLACE FUNCTION forget_vectors()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    relation text;
BEGIN
    FOR relation IN
        SELECT DISTINCT format('%I.%I', n.nspname, c.relname)
          FROM stc.vector_models m
          JOIN pg_catalog.pg_namespace n ON n.nspname = 'public'
          JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = m.relation AND c.relkind = 'r'
          JOIN pg_catalog.pg_class t ON t.oid = TG_RELID AND t.relowner = c.relowner
    LOOP
        EXECUTE format('DELETE FROM %s WHERE id = $1', relation) USING old.id;
    END LOOP;
    DELETE FROM public.dblp_passages p WHERE p.doc = old.id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_vectors() IS
'Trigger on dblp_text: delete a document''s vectors and passages when its text changes';

CREATE OR REPLACE TRIGGER dblp_text_forget_vectors
AFTER UPDATE OF title, abstract ON dblp_text
FOR EACH ROW
WHEN ((old.title, old.abstract) IS DISTINCT FROM (new.title, new.abstract))
EXECUTE FUNCTION forget_vectors();
