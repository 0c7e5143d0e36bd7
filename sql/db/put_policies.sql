-- put_policies: create the row-level security policies that limit the rows each role reads and writes. Returns the
-- number of policies created or dropped; correct ones do not change.
--
-- A policy for PUBLIC applies to every role except the owner and organisers, also to roles that were granted a table
-- by hand. Policies do not protect hidden editions: EXPLAIN counts the rows that a policy removes. Those rows are in
-- other tables (stc_rights). The search path is without stc_all: a name is that of the table with visible rows.
-- A policy's comment contains its definition. Policies whose comment differs are created again, and other policies on
-- these tables are dropped.
CREATE OR REPLACE FUNCTION put_policies() RETURNS integer
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    one record;
    done integer := 0;
    statement text;
BEGIN
    FOR one IN
        WITH wanted (relation, name, says) AS (
            SELECT t.relation, 'organise', 'TO stc_organiser USING (true) WITH CHECK (true)'
              FROM unnest('{st1_runs,ranked_lists,judged_runs,judged_rankings,judged_scores,unfinished_runs,
                             unfinished_rankings,own_systems,stc_members,removals,ask_counts,ask_requests}'::text[])
                   AS t (relation)
             UNION ALL
            SELECT t.relation, 'see_team', 'FOR SELECT TO PUBLIC USING (run = ANY (ARRAY(SELECT n.id FROM '
                                           'public.st1_runs n)))'
              FROM unnest('{ranked_lists,judged_runs,judged_rankings,judged_scores}'::text[]) AS t (relation)
             UNION ALL
            VALUES ('st1_runs', 'see_team', 'FOR SELECT TO PUBLIC USING (team IS NULL OR shared OR team = (SELECT '
                                            'public.my_team()))'),
                   ('st1_runs', 'store_team',
                    'FOR INSERT TO stc_participant WITH CHECK (team = (SELECT public.my_team()) AND NOT shared AND '
                    'version = 0)'),
                   ('st1_runs', 'change_team', 'FOR UPDATE TO stc_participant USING (team = (SELECT public.my_team()))'
                    ' WITH CHECK (team = (SELECT public.my_team()) AND NOT shared)'),
                   ('ranked_lists', 'store_team', 'FOR INSERT TO stc_participant WITH CHECK (run = ANY (ARRAY('
                    'SELECT n.id FROM public.st1_runs n WHERE n.team = (SELECT public.my_team()))))'),
                   ('ranked_lists', 'change_team', 'FOR UPDATE TO stc_participant USING (run = ANY (ARRAY('
                    'SELECT n.id FROM public.st1_runs n WHERE n.team = (SELECT public.my_team()))))'),
                   ('unfinished_runs', 'see_own', 'FOR SELECT TO PUBLIC USING (maker = current_user)'),
                   ('unfinished_runs', 'store_own', 'FOR INSERT TO stc_participant WITH CHECK (maker = current_user)'),
                   ('unfinished_rankings', 'see_own', 'FOR SELECT TO PUBLIC USING (unfinished = ANY (ARRAY('
                    'SELECT u.id FROM stc.unfinished_runs u WHERE u.maker = current_user)))'),
                   ('unfinished_rankings', 'store_own', 'FOR INSERT TO stc_participant WITH CHECK (unfinished = ANY ('
                    'ARRAY(SELECT u.id FROM stc.unfinished_runs u WHERE u.maker = current_user)))'),
                   ('stc_members', 'see_own', 'FOR SELECT TO PUBLIC USING (member = current_user)'),
                   ('removals', 'remove_own', 'FOR INSERT TO stc_participant WITH CHECK (CASE kind WHEN ''run'' THEN '
                    'id = ANY (ARRAY(SELECT n.id FROM public.st1_runs n WHERE n.team = (SELECT public.my_team()))) '
                    'WHEN ''unfinished'' THEN id = ANY (ARRAY(SELECT u.id FROM stc.unfinished_runs u '
                    'WHERE u.maker = current_user)) WHEN ''system'' THEN id = ANY (ARRAY(SELECT s.id FROM '
                    'stc.own_systems s WHERE s.maker = current_user)) ELSE false END)'),
                   ('own_systems', 'see_own', 'FOR SELECT TO PUBLIC USING (maker IS NULL OR maker = current_user)'),
                   ('own_systems', 'store_own', 'FOR INSERT TO stc_participant WITH CHECK (maker = current_user)'),
                   ('ask_calls', 'call_own', 'FOR INSERT TO stc_participant WITH CHECK (member = current_user '
                    'AND team = (SELECT public.my_team()))'),
                   ('ask_counts', 'see_team', 'FOR SELECT TO PUBLIC USING (team = (SELECT public.my_team()))'),
                   ('ask_requests', 'see_team', 'FOR SELECT TO PUBLIC USING (team = (SELECT public.my_team()) AND '
                    '(scored IS NULL OR scored <> coalesce(pg_current_xact_id_if_assigned()::text::bigint, -1)))')),
        there AS (
            SELECT c.oid::regclass AS relation, p.polname AS name, obj_description(p.oid, 'pg_policy') AS says
              FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
              JOIN stc_rights() r ON c.oid = to_regclass(format('%I.%I', r.schema, r.relation)))
        SELECT coalesce(w.relation, t.relation) AS relation, coalesce(w.name, t.name) AS name, w.says,
               t.name IS NOT NULL AS stored
          FROM (SELECT w.relation::regclass, w.name, w.says FROM wanted w) w
          FULL JOIN there t ON t.relation = w.relation AND t.name = w.name
         WHERE (w.relation IS NULL OR w.says IS DISTINCT FROM t.says)
           AND (w.says IS NULL OR w.says NOT LIKE '%TO stc%'
                OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'stc_organiser'))
         ORDER BY 1, 2
    LOOP
        IF one.stored THEN
            statement := format('DROP POLICY %I ON %s', one.name, one.relation);
            RAISE DEBUG 'stc: %', statement;  -- for --dry-run
            EXECUTE statement;
        END IF;
        IF one.says IS NOT NULL THEN
            statement := format('CREATE POLICY %I ON %s %s', one.name, one.relation, one.says);
            RAISE DEBUG 'stc: %', statement;  -- for --dry-run
            EXECUTE statement;
            statement := format('COMMENT ON POLICY %I ON %s IS %L', one.name, one.relation, one.says);
            RAISE DEBUG 'stc: %', statement;  -- for --dry-run
            EXECUTE statement;
        END IF;
        done := done + 1;
    END LOOP;
    FOR one IN
        SELECT c.oid::regclass AS relation
          FROM pg_class c JOIN stc_rights() r ON c.oid = to_regclass(format('%I.%I', r.schema, r.relation))
         WHERE NOT c.relrowsecurity AND c.oid IN (SELECT p.polrelid FROM pg_policy p)
    LOOP
        statement := format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', one.relation);
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
    END LOOP;
    RETURN done;
END
$$;
COMMENT ON FUNCTION put_policies() IS
'Create the row-level security policies of the roles; returns the number created or dropped';
