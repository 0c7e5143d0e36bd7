-- collection_catalogue: the definitions of all tables with their columns, constraints, indexes, triggers, rules and
-- policies, and the owner and grants of every object, one row each, as the server prints them. Differences from the
-- table stc_catalogue are reported as drift.
--
-- Objects that commands change are omitted: tables of further models (add_vector_model), the expressions of
-- dblp_text.tsv and dblp_text.content, and indexes on text and vectors (index_text, index_vectors). Functions and views
-- are compared by the file that creates them (stc_objects). Owners are relative to the owner of stc_objects, so that
-- reassigning the whole collection causes no drift.
CREATE OR REPLACE FUNCTION collection_catalogue() RETURNS TABLE (kind text, name text, definition text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH objects AS (
        SELECT o.*
          FROM collection_objects() o
         WHERE NOT (o.kind = 'SEQUENCE' AND o.part_of IS NOT NULL)
           AND o.object NOT IN (SELECT 'table ' || u.relation
                                  FROM vector_models m,
                                       unnest(ARRAY[m.relation,
                                                    regexp_replace(m.relation, '^dblp_v', 'dblp_p')]) AS u (relation)
                                 WHERE m.relation <> 'dblp_v')),
    tables AS (
        SELECT c.oid, shown_relation(c.oid) AS relation, c.relnamespace, c.relkind, c.relpersistence, c.relrowsecurity,
               c.relforcerowsecurity, c.reloptions,
               c.relpartbound
          FROM objects o JOIN pg_class c ON c.oid = o.oid WHERE o.kind = 'TABLE'),
    owned (object, owner, acl, initial) AS (
        SELECT o.object, o.owner, o.acl,
               acldefault((CASE o.kind WHEN 'SEQUENCE' THEN 's' WHEN 'ROUTINE' THEN 'f' ELSE 'r' END)::"char", o.owner)
          FROM objects o
         UNION ALL
        SELECT 'schema ' || n.nspname, n.nspowner, n.nspacl, acldefault('n', n.nspowner) FROM pg_namespace n
         WHERE n.nspname IN ('stc', 'stc_all'))
    SELECT 'table', t.relation,
           concat_ws(' ', t.relnamespace::regnamespace, t.relkind, t.relpersistence,
                     CASE WHEN t.relrowsecurity THEN 'row security' END,
                     CASE WHEN t.relforcerowsecurity THEN 'forced' END, t.reloptions,
                     pg_get_expr(t.relpartbound, t.oid))
      FROM tables t
     UNION ALL
    SELECT 'column', concat(t.relation, '.', a.attname),
           concat_ws(' ', format_type(a.atttypid, a.atttypmod), nullif(a.attcollation, 0)::regcollation,
                     CASE WHEN a.attnotnull THEN 'not null' END, nullif(a.attidentity, ''), nullif(a.attgenerated, ''),
                     CASE WHEN t.relation <> 'dblp_text' OR a.attname NOT IN ('tsv', 'content')
                          THEN pg_get_expr(d.adbin, d.adrelid) END)
      FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     UNION ALL
    SELECT 'constraint', concat(k.conname, ' on ', t.relation),
           concat_ws(' ', pg_get_constraintdef(k.oid), CASE WHEN NOT k.convalidated THEN 'not valid' END,
                     (SELECT 'disabled' FROM pg_trigger g
                       WHERE g.tgconstraint = k.oid AND g.tgenabled <> 'O'
                         AND NOT (t.relation ~ '^(stc_all\.)?qrels_judgments' AND g.tgenabled = 'D'
                                  AND g.tgfoid = '"RI_FKey_check_ins"'::regproc)  -- see skip_row_checks
                       LIMIT 1))
      -- PostgreSQL 18 lists NOT NULL constraints here, 17 does not
      FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype <> 'n'
     UNION ALL
    SELECT 'index', i.indexrelid::regclass::text,
           concat_ws(' ', pg_get_indexdef(i.indexrelid), CASE WHEN NOT i.indisvalid THEN 'not valid' END)
      FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class x ON x.oid = i.indexrelid
      JOIN pg_am m ON m.oid = x.relam
     WHERE m.amname IN ('btree', 'hash', 'gist', 'spgist', 'gin', 'brin')
       AND x.relname NOT IN ('dblp_text_tsv_gin', 'dblp_v_title_only', 'dblp_passages_words')
       AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = t.oid)
     UNION ALL
    SELECT 'trigger', concat(g.tgname, ' on ', t.relation),
           concat_ws(' ', pg_get_triggerdef(g.oid), nullif(g.tgenabled, 'O'))
      FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
     UNION ALL
    SELECT 'rule', concat(r.rulename, ' on ', t.relation), pg_get_ruledef(r.oid)
      FROM tables t JOIN pg_rewrite r ON r.ev_class = t.oid
     UNION ALL
    SELECT 'policy', concat(p.polname, ' on ', t.relation),
           concat_ws(' ', CASE WHEN NOT p.polpermissive THEN 'restrictive' END, p.polcmd,
                     (SELECT string_agg(coalesce(r.rolname, 'public'), ',' ORDER BY r.rolname)
                        FROM unnest(p.polroles) AS u (role) LEFT JOIN pg_roles r ON r.oid = u.role),
                     pg_get_expr(p.polqual, t.oid), pg_get_expr(p.polwithcheck, t.oid))
      FROM tables t JOIN pg_policy p ON p.polrelid = t.oid
     UNION ALL
    SELECT 'owner', w.object, CASE w.owner WHEN s.relowner THEN 'of the collection'
                                   ELSE pg_get_userbyid(w.owner)::text END
      FROM owned w CROSS JOIN pg_class s WHERE s.oid = 'public.stc_objects'::regclass
     UNION ALL
    SELECT 'grants', w.object, g.list
      FROM owned w CROSS JOIN LATERAL (
           SELECT string_agg(concat(coalesce(r.rolname, 'public'), ' ', a.privilege_type,
                                    CASE WHEN a.is_grantable THEN '*' END), ', '
                             ORDER BY r.rolname COLLATE "C", a.privilege_type)
             FROM aclexplode(coalesce(w.acl, w.initial)) a LEFT JOIN pg_roles r ON r.oid = a.grantee
            WHERE a.grantee <> w.owner) AS g (list)
     WHERE g.list IS NOT NULL
     UNION ALL
    SELECT 'grants', concat('column ', t.relation, '.', a.attname),
           (SELECT string_agg(concat(coalesce(r.rolname, 'public'), ' ', x.privilege_type), ', '
                              ORDER BY r.rolname COLLATE "C", x.privilege_type)
              FROM aclexplode(a.attacl) x LEFT JOIN pg_roles r ON r.oid = x.grantee)
      FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attacl <> '{}'
     UNION ALL
    -- other major versions can print the same definition differently
    SELECT 'server', 'PostgreSQL', (current_setting('server_version_num')::integer / 10000)::text
$$;
COMMENT ON FUNCTION collection_catalogue() IS
'Definitions of tables and their parts, owners and grants, as stored in stc_catalogue';
