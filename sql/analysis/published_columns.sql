-- published_columns: the columns of all tables in the schema public, and of those of stc that public has a view of, in
-- order, to draw the schema. Tables are those of stc_rights, so tables of users are not listed.
--
-- type: as PostgreSQL prints it, with the short names timestamptz, varchar and double.
-- targets, target_columns: table and column of each foreign key, in the same order; empty without a foreign key.
-- Tables of the schema stc have its prefix, as in relation; those of stc_all have the names of the visible ones.
CREATE OR REPLACE FUNCTION published_columns()
RETURNS TABLE (relation text, relation_comment text, "column" text, type text, key boolean, nullable boolean,
               targets text[], target_columns text[], comment text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT concat(CASE WHEN p.schema = 'stc' THEN 'stc.' END, c.relname), obj_description(c.oid, 'pg_class'),
           a.attname::text,
           replace(replace(replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz'),
                           'character varying', 'varchar'), 'double precision', 'double'),
           EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
           NOT a.attnotnull, coalesce(f.targets, '{}'), coalesce(f.columns, '{}'), col_description(c.oid, a.attnum)
      FROM (SELECT DISTINCT r.relation, r.schema FROM stc_rights() r
             WHERE r.schema = 'public'
                OR r.schema = 'stc' AND (r.relation = 'ranked_lists'
                                       OR to_regclass(format('public.%I', r.relation)) IS NOT NULL)) p
      JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', p.schema, p.relation))
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     CROSS JOIN LATERAL (
           SELECT array_agg(concat(CASE WHEN t.relnamespace = 'stc'::regnamespace
                                        THEN t.relnamespace::regnamespace || '.' END, t.relname)
                            ORDER BY k.conname) AS targets,
                  array_agg(b.attname::text ORDER BY k.conname) AS columns
             FROM pg_constraint k
            CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS u (own, theirs)
             JOIN pg_class t ON t.oid = k.confrelid
             JOIN pg_attribute b ON b.attrelid = t.oid AND b.attnum = u.theirs
            WHERE k.conrelid = c.oid AND k.contype = 'f' AND u.own = a.attnum) f
     ORDER BY c.relname COLLATE "C", a.attnum
$$;
COMMENT ON FUNCTION published_columns() IS
    'Columns of the published tables: type, primary key, foreign keys, comment';
