-- stage_changes: trigger that, before a statement writes the views st1_rankings, creates the temporary table
-- ranking_changes. write_ranking collects the rows of the statement there, and store_changes stores them.
--
-- A table named ranking_changes that another role made in this session (SET ROLE) is replaced, because its triggers
-- would run with the rights of the current role.
-- Raises IR202 if the current role may not replace it.
CREATE OR REPLACE FUNCTION stage_changes() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
DECLARE
    maker CONSTANT oid := (SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('pg_temp.ranking_changes'));
BEGIN
    IF maker IS NOT DISTINCT FROM current_user::regrole::oid THEN
        RETURN NULL;
    ELSIF NOT pg_has_role(maker, 'USAGE') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the temporary table ranking_changes of this session belongs to %s', maker::regrole),
            HINT = 'Run DISCARD TEMP, which drops all temporary tables of the session.';
    END IF;
    DROP TABLE IF EXISTS pg_temp.ranking_changes;
    CREATE TEMP TABLE ranking_changes (
        run integer NOT NULL, query integer NOT NULL, old_doc bigint, was bigint, doc bigint, rank integer,
        file_rank integer, rel_score double precision, comb_score double precision, passage text, combined boolean
    );
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION stage_changes() IS
    'Trigger: create the temporary table for the rows of a statement on st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_stage BEFORE INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION stage_changes();
CREATE OR REPLACE TRIGGER st1_rankings_stage_numbers BEFORE INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION stage_changes();
