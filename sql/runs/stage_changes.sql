-- stage_changes: trigger that, before a statement writes the views st1_rankings, creates the temporary table
-- ranking_changes. write_ranking collects the rows of the statement there, and store_changes stores them.
--
-- A table of that name that another role made in this session (SET ROLE) is replaced, because its triggers would run
-- with the rights of the current role.
CREATE OR REPLACE FUNCTION stage_changes() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class c
                    WHERE c.oid = to_regclass('pg_temp.ranking_changes') AND c.relowner = current_user::regrole) THEN
        DROP TABLE IF EXISTS pg_temp.ranking_changes;
        CREATE TEMP TABLE ranking_changes (
            run integer NOT NULL, query integer NOT NULL, old_doc bigint, doc bigint, rank integer, file_rank integer,
            rel_score double precision, comb_score double precision, passage text, combined boolean,
            CHECK (old_doc IS NOT NULL OR num_nulls(doc, rank, rel_score) = 0)
        ) ON COMMIT DELETE ROWS;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION stage_changes() IS
    'Trigger: create the temporary table for the rows of a statement on st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_stage BEFORE INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION stage_changes();
CREATE OR REPLACE TRIGGER st1_rankings_stage_numbers BEFORE INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION stage_changes();
