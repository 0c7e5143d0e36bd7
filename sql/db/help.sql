-- help: search the functions, views and tables of the schema public by their names, columns and comments.
--
-- Names come first: first the word itself, then names that start with it. All words must match; NULL lists everything.
--
--   SELECT * FROM help('bm25');
--   SELECT name, about FROM help('judgments');
--
-- Words of comments are compared by their English stems. Objects of extensions are omitted.
CREATE OR REPLACE FUNCTION public.help(word text DEFAULT NULL)
RETURNS TABLE (name text, usage text, about text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH objects AS (
        SELECT p.oid, 'pg_proc'::regclass AS class, p.proname::text AS name, '' AS columns,
               format('%I(%s)', p.proname, pg_get_function_arguments(p.oid)) AS usage,
               obj_description(p.oid, 'pg_proc') AS about
          FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype <> 'trigger'::regtype
         UNION ALL
        SELECT c.oid, 'pg_class', c.relname, columns.names, format('SELECT %s FROM %I', columns.names, c.relname),
               obj_description(c.oid, 'pg_class')
          FROM pg_class c,
               LATERAL (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
                          FROM pg_attribute a
                         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) columns (names)
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')),
    said AS (SELECT lower(btrim(help.word)) AS word)
    SELECT o.name, o.usage, o.about
      FROM objects o CROSS JOIN said s
     WHERE o.about IS NOT NULL
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype = 'e')
       AND (s.word IS NULL OR strpos(o.name, replace(s.word, ' ', '_')) > 0
            OR to_tsvector('pg_catalog.english', translate(o.name || ' ' || o.columns, '_', ' ') || ' ' || o.about)
               @@ plainto_tsquery('pg_catalog.english', translate(s.word, '_', ' ')))
     ORDER BY o.name = s.word DESC, starts_with(o.name, s.word) DESC, strpos(o.name, s.word) > 0 DESC, o.name, o.usage
$$;
COMMENT ON FUNCTION public.help(text) IS
'Search functions, views and tables by word: how to use each, and its description; NULL lists all';
