-- qrels_count: each statement that adds judgments raises the version of their editions, COPY as well.
--
-- The update locks the edition's row until the transaction ends: what is added and a seal wait for each other. Where the seal was
-- first, the trigger edition_stays refuses (IR407), and with it the whole statement.
CREATE OR REPLACE FUNCTION qrels_count() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE qrels_editions e SET version = e.version + 1 WHERE e.id IN (SELECT a.edition FROM added a);
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION qrels_count() IS 'Raises the version of the editions that judgments are added to; a sealed one refuses';

CREATE OR REPLACE TRIGGER qrels_added AFTER INSERT ON qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION qrels_count();
CREATE OR REPLACE TRIGGER preferences_added AFTER INSERT ON qrels_preferences
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION qrels_count();
