-- count_judgments: trigger that increments qrels_editions.version whenever an edition's judgments, preferences or
-- subtopic judgments change, so that derived data (judge_runs) is recognised as outdated. When an edition is hidden or
-- released, only the column hidden changes, which does not count.
--
-- The update locks the edition's row until the transaction ends: adding judgments and sealing wait for each other. If
-- the edition was sealed first, the trigger edition_stays refuses the statement (IR407).
--
-- A statement fires the triggers of the table that it names: all rows in stc_all, or the visible ones.
--
-- Safe because: it only adds 1 to the version of editions whose judgments changed; no role may call it or attach it to
-- a table. Roles that add judgments cannot set the version.
CREATE OR REPLACE FUNCTION count_judgments() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        UPDATE qrels_editions e SET version = e.version + 1;
    ELSIF TG_OP = 'INSERT' THEN
        UPDATE qrels_editions e SET version = e.version + 1
            WHERE e.id = ANY (ARRAY(SELECT DISTINCT j.edition FROM added j));
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE qrels_editions e SET version = e.version + 1
         WHERE e.id = ANY (ARRAY(SELECT DISTINCT j.edition FROM removed j));
    ELSIF TG_ARGV[0] = 'judgments' THEN
        UPDATE qrels_editions e SET version = e.version + 1
         WHERE e.id = ANY (ARRAY(
               SELECT coalesce(n.edition, o.edition)
                 FROM added n FULL JOIN removed o ON o.id = n.id
                  AND (o.edition, o.query, o.doc, o.rel, o.origin, o.annotator)
                      = (n.edition, n.query, n.doc, n.rel, n.origin, n.annotator)
                WHERE n.id IS NULL OR o.id IS NULL));
    ELSE
        UPDATE qrels_editions e SET version = e.version + 1
         WHERE e.id = ANY (ARRAY(
               SELECT (c.row ->> 'edition')::integer
                 FROM (SELECT to_jsonb(n) - 'hidden' AS row, 1 AS side FROM added n
                        UNION ALL SELECT to_jsonb(o) - 'hidden', -1 FROM removed o) c
                GROUP BY c.row HAVING sum(c.side) <> 0));
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION count_judgments() IS
    'Trigger: increments the version of editions whose judgments or preferences change';
CREATE OR REPLACE TRIGGER qrels_judgments_count_insert AFTER INSERT ON stc_all.qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_update AFTER UPDATE ON stc_all.qrels_judgments
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments('judgments');
CREATE OR REPLACE TRIGGER qrels_judgments_count_delete AFTER DELETE ON stc_all.qrels_judgments
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_truncate AFTER TRUNCATE ON stc_all.qrels_judgments
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_insert_visible AFTER INSERT ON public.qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_update_visible AFTER UPDATE ON public.qrels_judgments
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments('judgments');
CREATE OR REPLACE TRIGGER qrels_judgments_count_delete_visible AFTER DELETE ON public.qrels_judgments
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_count_truncate_visible AFTER TRUNCATE ON public.qrels_judgments
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_insert AFTER INSERT ON stc_all.qrels_preferences
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_update AFTER UPDATE ON stc_all.qrels_preferences
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_delete AFTER DELETE ON stc_all.qrels_preferences
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_truncate AFTER TRUNCATE ON stc_all.qrels_preferences
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_insert_visible AFTER INSERT ON public.qrels_preferences
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_update_visible AFTER UPDATE ON public.qrels_preferences
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_delete_visible AFTER DELETE ON public.qrels_preferences
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_preferences_count_truncate_visible AFTER TRUNCATE ON public.qrels_preferences
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_insert AFTER INSERT ON stc_all.qrels_subtopics
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_update AFTER UPDATE ON stc_all.qrels_subtopics
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_delete AFTER DELETE ON stc_all.qrels_subtopics
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_truncate AFTER TRUNCATE ON stc_all.qrels_subtopics
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_insert_visible AFTER INSERT ON public.qrels_subtopics
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_update_visible AFTER UPDATE ON public.qrels_subtopics
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_delete_visible AFTER DELETE ON public.qrels_subtopics
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_subtopics_count_truncate_visible AFTER TRUNCATE ON public.qrels_subtopics
    FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
