-- qrels_append_only: judgments are added, never changed: refuses UPDATE, TRUNCATE and DELETE on qrels_judgments with
-- IR202.
--
-- But for two: drop_edition deletes the edition it names in the setting stcollection.drop_edition; and where an edition
-- is hidden or released its judgments go to the other partition, by the foreign key, which is an update of hidden alone
-- and deletes the row where it was.
CREATE OR REPLACE FUNCTION qrels_append_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.edition::text = current_setting('stcollection.drop_edition', true)
           OR EXISTS (SELECT FROM qrels_editions e WHERE e.id = OLD.edition AND e.hidden <> OLD.hidden) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF NEW.hidden <> OLD.hidden AND to_jsonb(NEW) - 'hidden' = to_jsonb(OLD) - 'hidden' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('judgments are append-only: %s is refused', lower(TG_OP)),
        HINT = 'Add a judgment to another edition or by another annotator; stc.drop_edition(edition) removes a whole '
               'edition.';
END
$$;
COMMENT ON FUNCTION qrels_append_only() IS
    'Refuses to change or delete judgments, except for drop_edition and where they are hidden or released';

CREATE OR REPLACE TRIGGER qrels_no_truncate BEFORE TRUNCATE ON qrels_judgments
    FOR EACH STATEMENT EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_truncate BEFORE TRUNCATE ON qrels_judgments_open
    FOR EACH STATEMENT EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_truncate BEFORE TRUNCATE ON qrels_judgments_hidden
    FOR EACH STATEMENT EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_change BEFORE UPDATE ON qrels_judgments
    FOR EACH ROW EXECUTE FUNCTION qrels_append_only();
CREATE OR REPLACE TRIGGER qrels_no_delete BEFORE DELETE ON qrels_judgments
    FOR EACH ROW EXECUTE FUNCTION qrels_append_only();
