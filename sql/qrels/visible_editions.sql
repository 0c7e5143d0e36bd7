-- visible_editions: trigger that keeps two tables equal to stc_all.qrels_editions: public.qrels_editions has the
-- visible rows, and stc.hidden_names the names of the others.
--
-- Editions are not partitioned like their judgments, because names are unique among all of them. A change of a hidden
-- edition touches no table that members read, unless its name changes or it is released.
-- Safe because: it copies rows of one table of ours to others that everybody may read: of hidden editions, only the
-- name; no role may call it or put it on a table.
CREATE OR REPLACE FUNCTION visible_editions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    before qrels_editions := CASE WHEN TG_OP IN ('UPDATE', 'DELETE') THEN OLD END;
    now qrels_editions := CASE WHEN TG_OP IN ('INSERT', 'UPDATE') THEN NEW END;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM public.qrels_editions;
        DELETE FROM hidden_names;
        RETURN NULL;
    ELSIF before.hidden AND now.hidden AND before.edition = now.edition
          AND EXISTS (SELECT FROM hidden_names h WHERE h.id = now.id AND h.edition = now.edition) THEN
        RETURN NULL;
    ELSIF before.hidden THEN
        DELETE FROM hidden_names h WHERE h.id = before.id;
    ELSIF NOT before.hidden THEN
        DELETE FROM public.qrels_editions e WHERE e.id = before.id;
    END IF;
    IF now.hidden THEN
        INSERT INTO hidden_names (id, edition) VALUES (now.id, now.edition);
    ELSIF NOT now.hidden THEN
        INSERT INTO public.qrels_editions SELECT now.*;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION visible_editions() IS
    'Trigger: copies visible editions to public.qrels_editions, and names of hidden ones to hidden_names';
CREATE OR REPLACE TRIGGER qrels_editions_visible AFTER INSERT OR UPDATE OR DELETE ON stc_all.qrels_editions
    FOR EACH ROW EXECUTE FUNCTION visible_editions();
CREATE OR REPLACE TRIGGER qrels_editions_visible_truncate AFTER TRUNCATE ON stc_all.qrels_editions
    FOR EACH STATEMENT EXECUTE FUNCTION visible_editions();
