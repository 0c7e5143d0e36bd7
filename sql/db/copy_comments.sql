-- copy_comments: give partitions the comments of their table, and the tables of further embedding models those of
-- dblp_v and dblp_p, on the tables and on their columns. Returns the number of comments that were missing or different.
CREATE OR REPLACE FUNCTION copy_comments() RETURNS integer
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    done integer := 0;
    statement text;
BEGIN
    FOR statement IN
        WITH copies (original, copy) AS (
            SELECT o.part_of, o.oid FROM collection_objects() o WHERE o.kind = 'TABLE' AND o.part_of IS NOT NULL
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
'Give partitions and tables of further embedding models the comments of the tables they are like';
