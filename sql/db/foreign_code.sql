-- foreign_code: code that a role with rights owns and stcollection did not create, by schema. A restore of version 0.2
-- gave schemas of other people to stc_owner, and version 0.1 gave them to the superuser who called it.
--
-- Two kinds of objects count: functions, and indexes, triggers, checks, defaults, generated columns, policies, rules
-- and statistics that call functions or operators of others. Autovacuum evaluates some of them as their owner.
--
-- A role with rights is a superuser, a role that may create roles or bypass policies, or a member of stc_owner or
-- stc_organiser. Functions of extensions and of PostgreSQL do not count, nor does a schema with the name of its owner.
-- objects: as PostgreSQL describes them.
CREATE OR REPLACE FUNCTION foreign_code() RETURNS TABLE (schema name, owner name, objects text[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH strong (oid) AS (
        SELECT r.oid FROM pg_roles r
         WHERE r.rolsuper OR r.rolcreaterole OR r.rolbypassrls
            OR EXISTS (SELECT FROM pg_roles g WHERE g.rolname IN ('stc_owner', 'stc_organiser')
                          AND pg_has_role(r.oid, g.oid, 'MEMBER'))),
    ours (class, oid) AS (
        SELECT CASE o.kind WHEN 'ROUTINE' THEN 'pg_proc'::regclass ELSE 'pg_class'::regclass END, o.oid
          FROM collection_objects() o
         UNION ALL
        SELECT d.classid::regclass, d.objid FROM pg_depend d WHERE d.deptype = 'e'),
    others (class, oid, owner, schema) AS (
        SELECT 'pg_proc'::regclass, p.oid, p.proowner, p.pronamespace FROM pg_proc p
         WHERE p.oid >= 16384 AND NOT EXISTS (SELECT FROM ours x WHERE x.class = 'pg_proc'::regclass AND x.oid = p.oid)
         UNION ALL
        SELECT 'pg_operator'::regclass, p.oid, p.oprowner, p.oprnamespace FROM pg_operator p
         WHERE p.oid >= 16384 AND NOT EXISTS (
               SELECT FROM ours x WHERE x.class = 'pg_operator'::regclass AND x.oid = p.oid)),
    parts (class, oid, relation) AS (
        SELECT 'pg_class'::regclass, i.indexrelid, i.indrelid FROM pg_index i
         UNION ALL SELECT 'pg_trigger'::regclass, t.oid, t.tgrelid FROM pg_trigger t
         UNION ALL SELECT 'pg_attrdef'::regclass, a.oid, a.adrelid FROM pg_attrdef a
         UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.conrelid FROM pg_constraint k
         UNION ALL SELECT 'pg_policy'::regclass, p.oid, p.polrelid FROM pg_policy p
         UNION ALL SELECT 'pg_rewrite'::regclass, r.oid, r.ev_class FROM pg_rewrite r
         UNION ALL SELECT 'pg_statistic_ext'::regclass, s.oid, s.stxrelid FROM pg_statistic_ext s),
    found (class, oid, owner, schema) AS (
        SELECT o.class, o.oid, o.owner, o.schema FROM others o WHERE o.class = 'pg_proc'::regclass
         UNION
        SELECT p.class, p.oid, c.relowner, c.relnamespace
          FROM others o JOIN pg_depend d ON d.refclassid = o.class AND d.refobjid = o.oid
          JOIN parts p ON p.class = d.classid AND p.oid = d.objid
          JOIN pg_class c ON c.oid = p.relation)
    SELECT n.nspname, r.rolname, array_agg(pg_describe_object(f.class, f.oid, 0) ORDER BY f.class, f.oid)
      FROM found f JOIN strong s ON s.oid = f.owner JOIN pg_roles r ON r.oid = f.owner
      JOIN pg_namespace n ON n.oid = f.schema
     WHERE n.nspname <> r.rolname AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
     GROUP BY n.nspname, r.rolname ORDER BY n.nspname, r.rolname
$$;
COMMENT ON FUNCTION foreign_code() IS
'Code that a role with rights owns and stcollection did not create, by schema';
