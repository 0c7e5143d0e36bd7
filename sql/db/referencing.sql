-- referencing: the tables whose rows refer to rows of a table by a foreign key of one column, read from the catalogue.
--
-- keeps: a row there keeps the row it refers to (a judgment its document); the other tables hold what is computed from
-- the row and goes with it (vectors of a document). Score requests keep their queries: they are a record. The grades in
-- judged_queries are derived from judgments.
CREATE OR REPLACE FUNCTION referencing(parent regclass)
RETURNS TABLE (relation regclass, attribute name, keeps boolean)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
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
'The tables whose rows refer to rows of a table, and whether they keep them';
