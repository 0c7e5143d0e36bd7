-- copy_views: create in the schema stc_all a view for each view of ours that reads a table with hidden rows. It has the
-- same name and text, but reads the table in stc_all. Returns the number of views created or dropped.
--
-- So organisers find all rows under the names that show others the visible ones: stc_all is first in the search path of
-- functions and commands. An equal view does not change: PostgreSQL prints both with the same text if stc_all is in the
-- search path for one, and not for the other.
CREATE OR REPLACE FUNCTION copy_views() RETURNS integer
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    mark CONSTANT text := ' (hidden editions included)';
    one record;
    there text;
    done integer := 0;
    statement text;
BEGIN
    FOR one IN
        WITH RECURSIVE readers (view, level) AS (
            SELECT r.ev_class, 1
              FROM pg_class a JOIN pg_namespace s ON s.oid = a.relnamespace AND s.nspname = 'stc_all'
              JOIN pg_class v ON v.relname = a.relname AND v.relkind = 'r'
              JOIN pg_namespace n ON n.oid = v.relnamespace AND n.nspname IN ('public', 'stc')
              JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
              JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
             WHERE a.relkind IN ('r', 'p')
             UNION
            SELECT r.ev_class, w.level + 1
              FROM readers w
              JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = w.view
              JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid AND r.ev_class <> w.view)
        SELECT c.oid, quote_ident(c.relname) AS name, max(w.level) AS level, pg_get_viewdef(c.oid) AS says,
               array_to_string(c.reloptions, ', ') AS options,
               obj_description(c.oid, 'pg_class') || mark AS comment
          FROM readers w JOIN pg_class c ON c.oid = w.view AND c.relkind = 'v'
          JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname IN ('public', 'stc')
         WHERE EXISTS (SELECT FROM stc_objects o WHERE format('view %s.%s', n.nspname, c.relname) = ANY (o.creates))
         GROUP BY c.oid, c.relname, c.reloptions
         ORDER BY 3, 2
    LOOP
        PERFORM set_config('search_path', 'stc_all, stc, public, pg_temp', true);
        there := pg_get_viewdef(to_regclass('stc_all.' || one.name));
        IF there IS DISTINCT FROM one.says THEN
            statement := format('CREATE OR REPLACE VIEW stc_all.%s WITH (%s) AS %s', one.name, one.options, one.says);
            RAISE DEBUG 'stc: %', statement;  -- for --dry-run
            EXECUTE statement;
            done := done + 1;
        END IF;
        IF obj_description(to_regclass('stc_all.' || one.name), 'pg_class') IS DISTINCT FROM one.comment THEN
            EXECUTE format('COMMENT ON VIEW stc_all.%s IS %L', one.name, one.comment);
            FOR statement IN
                SELECT format('COMMENT ON COLUMN stc_all.%s.%I IS %L', one.name, a.attname,
                              col_description(a.attrelid, a.attnum))
                  FROM pg_attribute a WHERE a.attrelid = one.oid AND a.attnum > 0 AND NOT a.attisdropped
            LOOP
                EXECUTE statement;
            END LOOP;
        END IF;
    END LOOP;
    FOR one IN
        SELECT quote_ident(c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'stc_all' AND c.relkind = 'v' AND obj_description(c.oid, 'pg_class') LIKE '%' || mark
           AND NOT EXISTS (SELECT FROM stc_objects o
                            WHERE ARRAY[format('view public.%s', c.relname), format('view stc.%s', c.relname)]
                                  && o.creates)
    LOOP
        statement := format('DROP VIEW stc_all.%s', one.name);
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        done := done + 1;
    END LOOP;
    RETURN done;
END
$$;
COMMENT ON FUNCTION copy_views() IS
    'Create in stc_all the views that read tables with hidden rows; returns the number created or dropped';
