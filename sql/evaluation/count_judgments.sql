-- count_judgments: counts up qrels_editions.version with each change of an edition's judgments, whoever makes it, so that what was derived
-- from them (judge_runs) shows to be of an earlier state. They are append-only, so there is no update to see but by a superuser's hand.
CREATE OR REPLACE FUNCTION count_judgments() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        UPDATE qrels_editions e SET version = e.version + 1;
    ELSIF TG_OP = 'INSERT' THEN
        UPDATE qrels_editions e SET version = e.version + 1 WHERE e.id = ANY (ARRAY(SELECT DISTINCT j.edition FROM added j));
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE qrels_editions e SET version = e.version + 1 WHERE e.id = ANY (ARRAY(SELECT DISTINCT j.edition FROM removed j));
    ELSE
        UPDATE qrels_editions e SET version = e.version + 1 WHERE e.id = ANY (ARRAY(SELECT j.edition FROM added j UNION SELECT j.edition FROM removed j));
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
