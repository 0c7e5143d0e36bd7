-- forget_measures: a document whose abstract changes loses its measures: they are those of another text. 'stc
-- complexity compute' makes them anew. SECURITY DEFINER: who may write documents need not be able to write measures.
--
-- Safe because: it deletes one row of st1_complexity_metrics by id; no role may call it or put it on a table.
CREATE OR REPLACE FUNCTION forget_measures()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('st1_complexity_metrics', 0));
    DELETE FROM public.st1_complexity_metrics m WHERE m.id = old.id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_measures() IS 'Trigger: a document whose abstract changes loses its measures';

CREATE OR REPLACE TRIGGER dblp_text_forget_measures
AFTER UPDATE OF abstract ON dblp_text
FOR EACH ROW
WHEN (old.abstract IS DISTINCT FROM new.abstract)
EXECUTE FUNCTION forget_measures();
