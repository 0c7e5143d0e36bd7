-- collection_objects: the tables, sequences, views and routines of the collection, one row each. Other objects in the
-- database are not listed.
--
--   TABLE           tables in stc_rights, and their partitions
--   SEQUENCE        dblp_id_seq, and the sequences of identity columns
--   VIEW, ROUTINE   created by the files of sql/ (stc_objects); a routine is identified by its full signature
--
-- object: kind and name as in stc_objects and stc_catalogue, with the argument types of a routine. Names of tables,
-- sequences and views have no schema, except stc_all: the names there are those of the others.
-- part_of: the table that a partition or the sequence of an identity column belongs to; NULL for all others.
CREATE OR REPLACE FUNCTION collection_objects()
RETURNS TABLE (kind text, object text, oid oid, part_of oid, owner oid, acl aclitem[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH tables (oid) AS (
        SELECT c.oid FROM stc_rights() r JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', r.schema, r.relation))),
    relations (oid, part_of) AS (
        SELECT t.oid, i.inhparent FROM tables t LEFT JOIN pg_inherits i ON i.inhrelid = t.oid
         UNION ALL
        SELECT i.inhrelid, t.oid FROM tables t JOIN pg_inherits i ON i.inhparent = t.oid
         WHERE i.inhrelid NOT IN (SELECT p.oid FROM tables p)
         UNION ALL
        SELECT d.objid, t.oid
          FROM tables t JOIN pg_depend d ON d.refobjid = t.oid AND d.refclassid = 'pg_class'::regclass
         WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'i' AND d.objid <> t.oid
         UNION ALL
        SELECT to_regclass('public.dblp_id_seq'), NULL
         UNION ALL
        SELECT to_regclass(substr(c.one, 6)), NULL
          FROM stc_objects o, unnest(o.creates) AS c (one)
         WHERE c.one LIKE 'view %' AND c.one NOT LIKE 'view stc\_all.%'
         UNION ALL  -- views on tables of stc_all, and those of copy_views
        SELECT c.oid, NULL FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'stc_all' AND c.relkind = 'v')
    SELECT k.kind, concat(lower(k.kind), ' ', shown_relation(c.oid)), c.oid, r.part_of, c.relowner, c.relacl
      FROM relations r JOIN pg_class c ON c.oid = r.oid
      JOIN (VALUES ('r', 'TABLE'), ('p', 'TABLE'), ('v', 'VIEW'), ('S', 'SEQUENCE')) AS k (relkind, kind)
           ON k.relkind = c.relkind::text
     UNION ALL
    SELECT 'ROUTINE', s.one, p.oid, NULL, p.proowner, p.proacl
      FROM stc_objects o CROSS JOIN LATERAL unnest(o.signatures) AS s (one)
      JOIN pg_proc p ON p.oid = to_regprocedure(substr(s.one, strpos(s.one, ' ') + 1))
     WHERE s.one ~ '^(function|procedure|aggregate) '
$$;
COMMENT ON FUNCTION collection_objects() IS
'Tables, sequences, views and routines of the collection, with owner and grants';
