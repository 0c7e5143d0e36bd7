-- visible_editions: trigger that keeps public.qrels_editions equal to the visible rows of stc_all.qrels_editions.
--
-- Editions are not partitioned like their judgments, because names are unique among all of them.
-- Safe because: it copies rows of one table of ours to another one that everybody may read, unless they are hidden; no
-- role may call it or put it on a table.
CREATE OR REPLACE FUNCTION visible_editions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM public.qrels_editions;
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM public.qrels_editions e WHERE e.id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND NOT NEW.hidden THEN
        INSERT INTO public.qrels_editions SELECT NEW.*;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION visible_editions() IS 'Trigger: copies visible editions to public.qrels_editions';
CREATE OR REPLACE TRIGGER qrels_editions_visible AFTER INSERT OR UPDATE OR DELETE ON stc_all.qrels_editions
    FOR EACH ROW EXECUTE FUNCTION visible_editions();
CREATE OR REPLACE TRIGGER qrels_editions_visible_truncate AFTER TRUNCATE ON stc_all.qrels_editions
    FOR EACH STATEMENT EXECUTE FUNCTION visible_editions();
