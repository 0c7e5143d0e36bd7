-- edition_sealed: trigger that refuses (IR407) to change or delete the row of a sealed edition, except its description
-- and whether it is hidden or simulated.
--
-- Inserting judgments counts as a change, because count_judgments increments the edition's version. So this single
-- check covers all inserts, and the row lock serialises sealing and inserting. drop_edition(edition, true) can still
-- delete the edition.
CREATE OR REPLACE FUNCTION edition_sealed() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM removals r WHERE r.kind = 'edition' AND r.id = OLD.id) THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    ELSIF TG_OP = 'DELETE' THEN
        IF OLD.sealed IS NULL THEN
            RETURN OLD;
        END IF;
    ELSIF OLD.sealed IS NULL THEN
        IF (NEW.sealed IS NULL) = (NEW.fingerprint IS NULL) THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %L would be sealed without its fingerprint', OLD.edition),
            HINT = 'Seal it with seal_edition(edition).';
    ELSIF to_jsonb(NEW) - '{description,hidden,released,released_by,simulated}'::text[]
          = to_jsonb(OLD) - '{description,hidden,released,released_by,simulated}'::text[] THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR407',
        MESSAGE = format('edition %L has been sealed since %s and cannot be changed', OLD.edition, OLD.sealed::date),
        HINT = 'Correct it in a new version: ''stc publish correct'' or ''stc publish derive''.';
END
$$;
COMMENT ON FUNCTION edition_sealed() IS 'Trigger: refuses to change or delete a sealed edition, except by drop_edition';

CREATE OR REPLACE TRIGGER edition_stays BEFORE UPDATE OR DELETE ON stc_all.qrels_editions
    FOR EACH ROW EXECUTE FUNCTION edition_sealed();
