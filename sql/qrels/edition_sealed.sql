-- edition_sealed: a sealed edition stays as it is: refuses, with IR407, to change or delete its row, except the
-- description, whether it is hidden, and whether it is simulated.
--
-- An insert of judgments counts as a change, since count_judgments raises the edition's version; so this one check
-- holds for whatever inserts, and the lock of the row keeps a seal and an insert apart. drop_edition(edition, true)
-- deletes nevertheless.
CREATE OR REPLACE FUNCTION edition_sealed() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.sealed IS NULL OR OLD.id::text = current_setting('stcollection.drop_edition', true) THEN
            RETURN OLD;
        END IF;
    ELSIF OLD.sealed IS NULL THEN
        IF (NEW.sealed IS NULL) = (NEW.fingerprint IS NULL) THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the edition %L would be sealed without its fingerprint', OLD.edition),
            HINT = 'seal_edition(edition) seals an edition.';
    ELSIF to_jsonb(NEW) - '{description,hidden,released,released_by,simulated}'::text[]
          = to_jsonb(OLD) - '{description,hidden,released,released_by,simulated}'::text[] THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR407',
        MESSAGE = format('the edition %L is sealed since %s: nothing of it changes', OLD.edition, OLD.sealed::date),
        HINT = 'Take another edition; ''stc qrels derive'' makes one that begins as this one.';
END
$$;
COMMENT ON FUNCTION edition_sealed() IS 'Refuses to change or delete a sealed edition, except for drop_edition';

CREATE OR REPLACE TRIGGER edition_stays BEFORE UPDATE OR DELETE ON qrels_editions
    FOR EACH ROW EXECUTE FUNCTION edition_sealed();
