-- grant_rights: grant the roles the rights listed in stc_rights, and revoke all others that they have. Returns the
-- number of statements executed. Rights granted to other roles by hand do not change.
--
-- Participants and readers read some tables by their columns (read_by_column).
--
-- On a table with an identity column, INSERT and UPDATE are granted on the other columns only. INSERT … OVERRIDING
-- SYSTEM VALUE could otherwise store ids that the sequence will return later, and the next INSERT of any role would
-- fail.
--
-- Other objects: only organisers and owners use the schema stc_all, and no other role has a right on a view there. Only
-- owners create objects in the schemas public and stc (own_objects). Roles that store documents
-- can use dblp_id_seq. Only the owner can call the functions of pgsql-http (connect_embedding_service). No role can
-- call a trigger function: on a role's own table it would process that table's rows with the owner's rights. No role
-- can use the row types of tables for columns, because PostgreSQL does not rewrite a table whose row type is in use. A
-- function that runs with its owner's rights is granted to the roles and not to PUBLIC, except my_team, which policies
-- call for every role. PUBLIC's rights on the schema public, row types and pgsql-http are revoked only if
-- restricted_database is true: other applications may depend on them.
CREATE OR REPLACE FUNCTION grant_rights() RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    done integer := 0;
    statement text;
BEGIN
    PERFORM change_servers_in_turn();
    FOREACH statement IN ARRAY ARRAY(
        WITH roles (name, oid) AS (
            SELECT format('%I', r.rolname), r.oid FROM pg_roles r
             WHERE r.rolname IN ('stc_participant', 'stc_reader', 'stc_organiser')
             UNION ALL SELECT 'PUBLIC', 0),
        tables AS MATERIALIZED (  -- read_by_column runs once for each
            SELECT c.oid, w.participant, w.reader, w.organiser, read_by_column(c.oid) AS by_column
              FROM stc_rights() w JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', w.schema, w.relation))),
        wanted AS (
            SELECT t.oid AS relation, r.oid AS role, r.name,
                   translate(CASE r.name WHEN 'stc_participant' THEN t.participant WHEN 'stc_reader' THEN t.reader
                                         WHEN 'stc_organiser' THEN t.organiser ELSE '' END,
                             CASE WHEN EXISTS (SELECT FROM pg_attribute a
                                                WHERE a.attrelid = t.oid AND a.attidentity <> '') THEN 'aw' ELSE '' END
                             || CASE WHEN r.name <> 'stc_organiser' AND t.by_column THEN 'r' ELSE '' END,
                             '') AS letters
              FROM tables t CROSS JOIN roles r
             UNION ALL  -- partitions with hidden rows are read through their table
            SELECT o.oid, r.oid, r.name, '' FROM collection_objects() o CROSS JOIN roles r
             WHERE o.kind = 'TABLE' AND o.oid NOT IN (
                   SELECT to_regclass(format('%I.%I', w.schema, w.relation)) FROM stc_rights() w)
             UNION ALL
            SELECT o.oid, r.oid, r.name, CASE r.name WHEN 'stc_organiser' THEN 'U' ELSE '' END
              FROM collection_objects() o CROSS JOIN roles r WHERE o.kind = 'SEQUENCE' AND o.part_of IS NULL),
        words (letter, word) AS (
                                 VALUES ('r', 'SELECT'), ('a', 'INSERT'), ('w', 'UPDATE'), ('d', 'DELETE'),
                                 ('U', 'USAGE')),
        differing AS (
            SELECT w.relation, w.role, w.name, c.relkind,
                   ARRAY(SELECT o.word FROM words o WHERE strpos(w.letters, o.letter) > 0 ORDER BY o.word) AS wanted,
                   ARRAY(SELECT a.privilege_type FROM aclexplode(c.relacl) a WHERE a.grantee = w.role
                          ORDER BY a.privilege_type) AS there
              FROM wanted w JOIN pg_class c ON c.oid = w.relation)
        SELECT s.statement
          FROM differing d
         CROSS JOIN LATERAL (VALUES
               (1, format('REVOKE ALL ON %s %s FROM %s', CASE d.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                          d.relation::regclass,
                          d.name)),
               (2, format('GRANT %s ON %s %s TO %s', nullif(array_to_string(d.wanted, ', '), ''),
                          CASE d.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, d.relation::regclass, d.name))
               ) AS s (place, statement)
         WHERE d.wanted <> d.there AND (s.place = 1 AND d.there <> '{}' OR s.place = 2 AND d.wanted <> '{}')
         ORDER BY d.relation, d.role, s.place)
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        done := done + 1;
    END LOOP;
    FOREACH statement IN ARRAY ARRAY(
        WITH tables (oid) AS (SELECT o.oid::regclass FROM collection_objects() o WHERE o.kind = 'TABLE'
                           UNION SELECT 'stc.st1_rankings'::regclass),
        listed AS MATERIALIZED (  -- else read_by_column would run for every row of pg_class
            SELECT to_regclass(format('%I.%I', w.schema, w.relation)) AS relation, w.participant, w.reader
              FROM stc_rights() w),
        wanted (relation, role, says, attribute) AS (  -- columns that participants update on runs of their team
            VALUES ('public.st1_runs'::regclass, 'stc_participant', 'UPDATE', 'metadata'::name),
                   ('public.st1_runs', 'stc_participant', 'UPDATE', 'params'),
                   ('stc.ranked_lists', 'stc_participant', 'UPDATE', 'comb_scores'),
                   ('stc.st1_rankings', 'stc_participant', 'UPDATE', 'comb_score')
             UNION  -- read_by_column
            SELECT w.relation, r.name, 'SELECT', a.attname
              FROM listed w
             CROSS JOIN LATERAL (VALUES ('stc_participant', w.participant), ('stc_reader', w.reader))
                   AS r (name, letters)
              JOIN pg_attribute a ON a.attrelid = w.relation AND a.attnum > 0 AND NOT a.attisdropped
             WHERE strpos(r.letters, 'r') > 0 AND read_by_column(w.relation)
             UNION  -- tables with an identity column: all other columns
            SELECT c.oid, r.name, x.word, a.attname
              FROM stc_rights() w
             CROSS JOIN LATERAL (VALUES ('stc_participant', w.participant), ('stc_reader', w.reader),
                                 ('stc_organiser', w.organiser))
                   AS r (name, letters)
              JOIN (VALUES ('a', 'INSERT'), ('w', 'UPDATE')) AS x (letter, word) ON strpos(r.letters, x.letter) > 0
              JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', w.schema, w.relation))
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = ''
              AND a.attgenerated = ''
             WHERE EXISTS (SELECT FROM pg_attribute i WHERE i.attrelid = c.oid AND i.attidentity <> '')
               -- triggers count the changes of an edition
               AND (w.relation, a.attname, x.word) <> ('qrels_editions', 'version', 'UPDATE')),
        there AS (
            SELECT t.oid AS relation, CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END AS role,
                   x.privilege_type AS says, a.attname AS attribute
              FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attacl IS NOT NULL, aclexplode(a.attacl) x
             WHERE x.grantee = 0 OR x.grantee::regrole::text IN ('stc_participant', 'stc_reader', 'stc_organiser'))
        SELECT CASE WHEN d.granted THEN format('REVOKE %s (%s) ON TABLE %s FROM %s', d.says, d.attributes,
                                               d.relation, d.role)
                    ELSE format('GRANT %s (%s) ON TABLE %s TO %s', d.says, d.attributes, d.relation, d.role) END
          FROM (SELECT w.role IS NULL AS granted, coalesce(w.relation, t.relation) AS relation,
                       coalesce(w.role, t.role) AS role,
                       coalesce(w.says, t.says) AS says,
                       string_agg(quote_ident(coalesce(w.attribute, t.attribute)), ', '
                                                                    ORDER BY coalesce(w.attribute,
                                                                            t.attribute)) AS attributes
                  FROM wanted w FULL JOIN there t
                       ON t.relation = w.relation AND t.role = w.role AND t.says = w.says AND t.attribute = w.attribute
                 WHERE w.role IS NULL OR t.role IS NULL
                 GROUP BY 1, 2, 3, 4) d
         ORDER BY d.relation, d.role DESC, d.says)
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        done := done + 1;
    END LOOP;
    FOREACH statement IN ARRAY ARRAY(  -- views run with the rights of their callers
        WITH objects AS MATERIALIZED (SELECT * FROM collection_objects())
        SELECT format('GRANT SELECT ON TABLE %s TO stc_participant, stc_reader, stc_organiser', o.oid::regclass)
          FROM objects o JOIN pg_class c ON c.oid = o.oid
         WHERE o.kind = 'VIEW' AND c.relnamespace <> 'stc_all'::regnamespace
           AND EXISTS (SELECT FROM unnest('{stc_participant,stc_reader,stc_organiser}'::name[]) AS r (name)
                        WHERE NOT has_table_privilege(r.name, o.oid, 'SELECT'))
         UNION ALL  -- views through which a table is written
        SELECT format('GRANT %s ON TABLE %s TO %s', x.word, c.oid::regclass, r.name)
          FROM stc_rights() w
          JOIN pg_class c
               ON c.relkind = 'v'
                  AND (c.oid = to_regclass(format('public.%I', w.relation)) OR w.relation = 'ranked_lists'
                       AND c.oid IN ('public.st1_rankings'::regclass, 'stc.st1_rankings'::regclass))
         CROSS JOIN LATERAL (VALUES ('stc_participant', w.participant), ('stc_organiser', w.organiser))
               AS r (name, letters)
          JOIN (VALUES ('a', 'INSERT'), ('w', 'UPDATE'), ('d', 'DELETE')) AS x (letter, word)
               ON strpos(r.letters, x.letter) > 0
         WHERE w.schema = 'stc' AND pg_relation_is_updatable(c.oid, true) & 28 = 28
           AND NOT has_table_privilege(r.name, c.oid, x.word)
         UNION ALL
        SELECT format('GRANT SELECT ON TABLE %s TO stc_organiser', c.oid::regclass)
          FROM pg_class c
         WHERE c.relkind = 'v' AND c.relnamespace = 'stc_all'::regnamespace
           AND NOT has_table_privilege('stc_organiser', c.oid, 'SELECT')
         UNION ALL
        SELECT 'GRANT USAGE ON SCHEMA stc_all TO stc_organiser'
         WHERE NOT has_schema_privilege('stc_organiser', 'stc_all', 'USAGE')
         UNION ALL
        SELECT DISTINCT format('REVOKE ALL ON SCHEMA stc_all FROM %s',
                               CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
          FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) a
         WHERE n.nspname = 'stc_all' AND a.grantee NOT IN (n.nspowner, 'stc_organiser'::regrole)
         UNION ALL
        SELECT format('GRANT USAGE ON SCHEMA %I TO stc_participant, stc_reader, stc_organiser', n.name)
          FROM unnest('{public,stc}'::name[]) AS n (name)
         WHERE NOT (has_schema_privilege('stc_participant', n.name, 'USAGE')
                    AND has_schema_privilege('stc_reader', n.name, 'USAGE')
                    AND has_schema_privilege('stc_organiser', n.name, 'USAGE'))
         UNION ALL
        SELECT 'REVOKE CREATE ON SCHEMA stc FROM PUBLIC' WHERE has_schema_privilege('public', 'stc', 'CREATE')
         UNION ALL
        SELECT 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'
         WHERE has_schema_privilege('public', 'public', 'CREATE') AND restricted_database()
         UNION ALL
        SELECT format('REVOKE ALL ON TYPE %s FROM PUBLIC', c.reltype::regtype)
          FROM objects o JOIN pg_class c ON c.oid = o.oid
         WHERE o.kind = 'TABLE' AND has_type_privilege('public', c.reltype, 'USAGE') AND restricted_database()
         UNION ALL
        SELECT format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
          FROM objects o JOIN pg_proc p ON p.oid = o.oid
         WHERE o.kind = 'ROUTINE' AND p.prorettype = 'trigger'::regtype
           AND has_function_privilege('public', p.oid, 'EXECUTE')
         UNION ALL
        SELECT format(s.statement, p.oid::regprocedure)
          FROM objects o JOIN pg_proc p ON p.oid = o.oid
         CROSS JOIN LATERAL (VALUES
               ('REVOKE ALL ON FUNCTION %s FROM PUBLIC', has_function_privilege('public', p.oid, 'EXECUTE')),
               ('GRANT EXECUTE ON FUNCTION %s TO stc_participant, stc_reader, stc_organiser', EXISTS (
                   SELECT FROM unnest('{stc_participant,stc_reader,stc_organiser}'::regrole[]) AS r (role)
                    WHERE NOT EXISTS (SELECT FROM aclexplode(p.proacl) a
                                       WHERE a.grantee = r.role AND a.privilege_type = 'EXECUTE')))
               ) AS s (statement, wanted)
         WHERE o.kind = 'ROUTINE' AND p.prosecdef AND p.prorettype <> 'trigger'::regtype AND p.proname <> 'my_team'
           AND s.wanted
         UNION ALL
        SELECT format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
          FROM http_functions() p
         WHERE has_function_privilege('public', p.oid, 'EXECUTE') AND pg_has_role(p.proowner, 'USAGE')
           AND restricted_database()
         UNION ALL
        SELECT format('GRANT EXECUTE ON FUNCTION %s TO stc_owner', p.oid::regprocedure)
          FROM http_functions() p  -- a right that stc_owner has only through PUBLIC does not count
         WHERE pg_has_role(p.proowner, 'USAGE') AND NOT EXISTS (
               SELECT FROM aclexplode(p.proacl) a
                WHERE a.grantee = 'stc_owner'::regrole AND a.privilege_type = 'EXECUTE')
         UNION ALL
        SELECT DISTINCT format('GRANT USAGE ON SCHEMA %s TO stc_owner', p.pronamespace::regnamespace)
          FROM http_functions() p JOIN pg_namespace n ON n.oid = p.pronamespace
         WHERE NOT has_schema_privilege('stc_owner', n.oid, 'USAGE') AND pg_has_role(n.nspowner, 'USAGE'))
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        done := done + 1;
    END LOOP;
    RETURN done;
END
$$;
COMMENT ON FUNCTION grant_rights() IS
'Grant the roles exactly the rights listed in stc_rights; returns the number of statements executed';
