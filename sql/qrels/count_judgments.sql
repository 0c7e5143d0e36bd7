-- count_judgments: trigger that increments qrels_editions.version whenever an edition's judgments, preferences or
-- subtopic judgments change, so that derived data (judge_runs) is recognised as outdated.
--
-- Judgments are append-only, so an update only happens if a superuser makes it, or if it changes hidden alone, which
-- does not affect the version.
--
-- The update locks the edition's row until the transaction ends: adding judgments and sealing wait for each other. If
-- the edition was sealed first, the trigger edition_stays refuses the statement (IR407). drop_edition removes the row
-- itself, so the version is left unchanged.
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
COMMENT ON FUNCTION count_judgments() IS
    'Trigger: increments the version of editions whose judgments or preferences change';
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
CREATE OR REPLACE TRIGGER qrels_subtopics_count_insert AFTER INSERT ON qrels_subtopics
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
