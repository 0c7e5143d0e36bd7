-- referencing: the tables with a single-column foreign key to a table, read from the catalogue.
--
-- keeps: true if a row there requires the referenced row (a judgment its document). Other tables contain values
-- computed from the referenced row, which are deleted with it (vectors of a document). Score requests are a record and
-- keep their queries. The grades in judged_queries are derived from judgments and keep nothing.
CREATE OR REPLACE FUNCTION referencing(parent regclass)
RETURNS TABLE (relation regclass, attribute name, keeps boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT c.conrelid::regclass, a.attname,
           r.relname = 'ask_rankings' OR (c.confdeltype = 'a' AND r.relname <> 'judged_queries')
      FROM pg_constraint c
      JOIN pg_class r ON r.oid = c.conrelid
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
     WHERE c.contype = 'f' AND c.confrelid = referencing.parent AND c.conparentid = 0 AND cardinality(c.conkey) = 1
       AND c.confdeltype IN ('a', 'c') AND r.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)
     ORDER BY r.relname, a.attname
$$;
COMMENT ON FUNCTION referencing(regclass) IS
'Tables that reference a table, and whether their rows keep the referenced row from being deleted';
