-- skip_row_checks: let the keys of judgments check new rows once per statement (check_judgments) instead of row by row.
-- Returns the number of triggers that it switched.
--
-- PostgreSQL implements a key by triggers on both tables. Those that check each new judgment are switched off while all
-- triggers of check_judgments are there and enabled, and on otherwise. Only a superuser may. For other owners, and
-- after pg_restore or ALTER TABLE … ENABLE TRIGGER ALL, both checks run, which is slower.
CREATE OR REPLACE FUNCTION skip_row_checks() RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    judgments CONSTANT regclass[] := '{stc_all.qrels_judgments,public.qrels_judgments,stc_all.qrels_judgments_hidden}';
    by_statement CONSTANT boolean := 4 = (
        SELECT count(*) FROM pg_trigger g
         WHERE g.tgrelid = ANY (judgments) AND g.tgfoid = 'check_judgments'::regproc AND g.tgenabled IN ('O', 'A'));
    one record;
    switched integer := 0;
BEGIN
    IF NOT (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
        RETURN 0;
    END IF;
    FOR one IN
        SELECT format('ALTER TABLE %s %s TRIGGER %I', g.tgrelid::regclass,
                      CASE WHEN by_statement THEN 'DISABLE' ELSE 'ENABLE' END, g.tgname) AS statement
          FROM pg_trigger g JOIN pg_constraint k ON k.oid = g.tgconstraint
         WHERE g.tgrelid = ANY (judgments) AND g.tgfoid = '"RI_FKey_check_ins"'::regproc
           AND k.confrelid IN ('dblp'::regclass, 'st1_queries'::regclass, 'qrels_editions'::regclass)
           AND k.conname ~ '^qrels_judgments_(doc|query|edition|source_doc)_fkey$'
           AND (g.tgenabled = 'D') <> by_statement
         ORDER BY g.tgparentid <> 0, g.oid
    LOOP
        EXECUTE one.statement;
        switched := switched + 1;
    END LOOP;
    RETURN switched;
END
$$;
COMMENT ON FUNCTION skip_row_checks() IS
    'Lets the keys of judgments check new rows once per statement instead of row by row, if a superuser calls it';
