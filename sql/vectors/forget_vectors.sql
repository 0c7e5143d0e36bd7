-- forget_vectors: a document whose title or abstract changes loses its vectors, by every model, and its passages: they are those of
-- another text. 'stc vectors embed' makes them anew. SECURITY DEFINER: who may write documents need not be able to write vectors.
CREATE OR REPLACE FUNCTION forget_vectors()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
    relation name;
BEGIN
    FOR relation IN SELECT DISTINCT m.relation FROM vector_models m LOOP
        EXECUTE format('DELETE FROM %I WHERE id = $1', relation) USING old.id;
    END LOOP;
    DELETE FROM dblp_passages p WHERE p.doc = old.id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_vectors() IS 'Trigger: a document whose text changes loses its vectors';

CREATE OR REPLACE TRIGGER dblp_text_forget_vectors
AFTER UPDATE OF title, abstract ON dblp_text
FOR EACH ROW
WHEN ((old.title, old.abstract) IS DISTINCT FROM (new.title, new.abstract))
EXECUTE FUNCTION forget_vectors();
