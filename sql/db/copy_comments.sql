-- copy_comments: set the comments of the schemas and of all tables and columns (table_comments), then copy those of a
-- table to its partitions and its copy with visible rows, and those of dblp_v and dblp_p to the tables of further
-- embedding models.
--
-- Comments that are equal already, and those of tables that the current role does not own, are skipped. Returns the
-- number of comments changed.
CREATE OR REPLACE FUNCTION copy_comments() RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    done integer := 0;
    statement text;
BEGIN
    FOR statement IN
        SELECT format('COMMENT ON SCHEMA %I IS %L', n.nspname, s.comment)
          FROM pg_namespace n
          JOIN (VALUES ('stc', 'stcollection: internal tables, functions and views'),
                       ('stc_all', 'stcollection: tables with the rows of hidden editions, for organisers'))
               AS s (name, comment) ON s.name = n.nspname
         WHERE obj_description(n.oid, 'pg_namespace') IS DISTINCT FROM s.comment
           AND pg_has_role(n.nspowner, 'USAGE')
         UNION ALL
        SELECT CASE WHEN t.attribute IS NULL THEN format('COMMENT ON TABLE %s IS %L', c.oid::regclass, t.comment)
                    ELSE format('COMMENT ON COLUMN %s.%I IS %L', c.oid::regclass, a.attname, t.comment) END
          FROM table_comments() t
          JOIN pg_class c ON c.oid = to_regclass(quote_ident(t.relation)) AND pg_has_role(c.relowner, 'USAGE')
          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = t.attribute AND NOT a.attisdropped
         WHERE CASE WHEN t.attribute IS NULL THEN obj_description(c.oid, 'pg_class') IS DISTINCT FROM t.comment
                    ELSE a.attnum > 0 AND col_description(c.oid, a.attnum) IS DISTINCT FROM t.comment END
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        done := done + 1;
    END LOOP;
    FOR statement IN
        WITH copies (original, copy) AS (
            SELECT o.part_of, o.oid FROM collection_objects() o WHERE o.kind = 'TABLE' AND o.part_of IS NOT NULL
             UNION ALL
            SELECT 'stc_all.qrels_editions'::regclass, 'public.qrels_editions'::regclass
             UNION ALL
            SELECT u.original, to_regclass(format('public.%I', u.copy))
              FROM vector_models m,
                   LATERAL (VALUES ('dblp_v'::regclass, m.relation),
                                   ('dblp_p'::regclass, regexp_replace(m.relation, '^dblp_v', 'dblp_p'))) AS u (
                                           original, copy)
             WHERE m.relation <> 'dblp_v')
        SELECT format('COMMENT ON TABLE %s IS %L', c.copy::regclass, obj_description(c.original, 'pg_class'))
          FROM copies c
         WHERE c.copy IS NOT NULL AND obj_description(c.copy, 'pg_class') IS DISTINCT FROM obj_description(c.original,
                 'pg_class')
         UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', c.copy::regclass, a.attname,
                      col_description(c.original, a.attnum))
          FROM copies c
          JOIN pg_attribute a ON a.attrelid = c.original AND a.attnum > 0 AND NOT a.attisdropped
          JOIN pg_attribute b ON b.attrelid = c.copy AND b.attname = a.attname
         WHERE col_description(c.copy, b.attnum) IS DISTINCT FROM col_description(c.original, a.attnum)
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        done := done + 1;
    END LOOP;
    RETURN done;
END
$$;
COMMENT ON FUNCTION copy_comments() IS
'Set the comments of tables and columns, and copy them to partitions and to tables of further embedding models';
