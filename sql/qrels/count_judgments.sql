-- count_judgments: counts up qrels_editions.version with each change of an edition's judgments or preferences, whoever
-- makes it, so that what was derived from them (judge_runs) shows to be of an earlier state. They are append-only, so
-- there is no update to see but by a superuser's hand, and one of hidden alone, which changes nothing of what they say.
--
-- The update locks the edition's row until the transaction ends: what is added and a seal wait for each other. Where
-- the seal was first, the trigger edition_stays refuses (IR407), and with it the whole statement. drop_edition removes
-- the row itself, which is left alone.
CREATE OR REPLACE FUNCTION count_judgments() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        UPDATE qrels_editions e SET version = e.version + 1;
    ELSIF TG_OP = 'INSERT' THEN
        UPDATE qrels_editions e SET version = e.version + 1
            WHERE e.id = ANY (ARRAY(SELECT DISTINCT j.edition FROM added j));
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE qrels_editions e SET version = e.version + 1
         WHERE e.id = ANY (ARRAY(SELECT DISTINCT j.edition FROM removed j))
           AND e.id::text IS DISTINCT FROM current_setting('stcollection.drop_edition', true);
    ELSE
        UPDATE qrels_editions e SET version = e.version + 1
         WHERE e.id = ANY (ARRAY(
               SELECT coalesce(n.edition, o.edition)
                 FROM added n FULL JOIN removed o ON o.id = n.id
                  AND (o.edition, o.query, o.doc, o.rel, o.origin, o.annotator)
                      = (n.edition, n.query, n.doc, n.rel, n.origin, n.annotator)
                WHERE n.id IS NULL OR o.id IS NULL));
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION count_judgments() IS 'Trigger: counts up the version of the editions whose judgments change';
CREATE OR REPLACE TRIGGER qrels_judgments_count_insert AFTER INSERT ON qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_update AFTER UPDATE ON qrels_judgments
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_delete AFTER DELETE ON qrels_judgments
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_truncate AFTER TRUNCATE ON qrels_judgments
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_insert AFTER INSERT ON qrels_preferences
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
