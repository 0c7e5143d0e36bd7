-- qrels_append_only: trigger that refuses UPDATE, TRUNCATE and DELETE on qrels_judgments (IR202), because judgments are
-- append-only.
--
-- There are two exceptions: remove_rows deletes judgments of an edition or file in the table removals; and when an
-- edition is hidden or released, its judgments move to the other partition by the foreign key, which updates only
-- hidden and deletes the old row.
CREATE OR REPLACE FUNCTION qrels_append_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT FROM removals r
                    WHERE r.kind = 'edition' AND r.id = OLD.edition
                       OR r.kind = 'file' AND EXISTS (SELECT FROM qrels_files f
                                                       WHERE f.id = r.id AND f.edition = OLD.edition))
           OR EXISTS (SELECT FROM qrels_editions e WHERE e.id = OLD.edition AND e.hidden <> OLD.hidden) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF NEW.hidden <> OLD.hidden AND to_jsonb(NEW) - 'hidden' = to_jsonb(OLD) - 'hidden' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('judgments are append-only: %s is refused', lower(TG_OP)),
        HINT = 'Add a judgment to another edition or by another annotator, or remove a whole edition with '
               'stc.drop_edition(edition).';
END
$$;
COMMENT ON FUNCTION qrels_append_only() IS
    'Trigger: refuses to change or delete judgments, except by drop_edition and when an edition is hidden or released';

CREATE OR REPLACE TRIGGER qrels_no_truncate BEFORE TRUNCATE ON stc_all.qrels_judgments
    FOR EACH STATEMENT EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_truncate_visible BEFORE TRUNCATE ON public.qrels_judgments
    FOR EACH STATEMENT EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_truncate BEFORE TRUNCATE ON stc_all.qrels_judgments_hidden
    FOR EACH STATEMENT EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_change BEFORE UPDATE ON stc_all.qrels_judgments
    FOR EACH ROW EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_delete BEFORE DELETE ON stc_all.qrels_judgments
    FOR EACH ROW EXECUTE FUNCTION qrels_append_only();
