-- count_rankings: trigger that increments st1_runs.version whenever a run's rankings change, so that data derived from
-- the old rankings (judge_runs) is recognised as outdated.
--
-- SECURITY DEFINER, because roles that may store rankings need not be able to update the version.
--
-- Safe because: it only adds 1 to the version of runs whose rankings changed; no role may call it or attach it to a
-- table.
CREATE OR REPLACE FUNCTION count_rankings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        UPDATE public.st1_runs n SET version = n.version + 1;
    ELSIF TG_OP = 'INSERT' THEN
        UPDATE public.st1_runs n SET version = n.version + 1
            WHERE n.id = ANY (ARRAY(SELECT DISTINCT r.run FROM added r));
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE public.st1_runs n SET version = n.version + 1
            WHERE n.id = ANY (ARRAY(SELECT DISTINCT r.run FROM removed r));
    ELSE
        UPDATE public.st1_runs n SET version = n.version + 1
            WHERE n.id = ANY (ARRAY(SELECT r.run FROM added r UNION SELECT r.run FROM removed r));
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION count_rankings() IS 'Trigger: increments the version of runs whose rankings change';
CREATE OR REPLACE TRIGGER ranked_lists_count_insert AFTER INSERT ON ranked_lists
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_rankings();
CREATE OR REPLACE TRIGGER ranked_lists_count_update AFTER UPDATE ON ranked_lists
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_rankings();
CREATE OR REPLACE TRIGGER ranked_lists_count_delete AFTER DELETE ON ranked_lists
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_rankings();
CREATE OR REPLACE TRIGGER ranked_lists_count_truncate AFTER TRUNCATE ON ranked_lists
    FOR EACH STATEMENT EXECUTE FUNCTION count_rankings();
