-- referencing: the tables with a single-column foreign key to a table, read from the catalogue.
--
-- Keys may have been dropped (distribution_losses). They are read from stc_catalogue, the state after the last upgrade.
--
-- Ranked documents (ranked_lists) are in arrays, which have no keys. The view of their rows, st1_rankings, takes the
-- place of the table.
--
-- keeps: true if a row there requires the referenced row (a judgment its document). Other tables contain values
-- computed from the referenced row, which are deleted with it (vectors of a document). Score requests are a record and
-- keep their queries. The grades in judged_queries are derived from judgments and keep nothing.
CREATE OR REPLACE FUNCTION referencing(parent regclass)
RETURNS TABLE (relation regclass, attribute name, keeps boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH keys (conrelid, attname, action) AS (
        SELECT c.conrelid, a.attname, c.confdeltype::text
          FROM pg_constraint c
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
         WHERE c.contype = 'f' AND c.confrelid = referencing.parent AND c.conparentid = 0 AND cardinality(c.conkey) = 1
         UNION
        SELECT r.oid, k.parts[1]::name, CASE k.parts[3] WHEN '' THEN 'a' WHEN ' ON DELETE CASCADE' THEN 'c' ELSE '' END
          FROM stc_catalogue s
         CROSS JOIN LATERAL (SELECT regexp_match(s.definition,
                                        '^FOREIGN KEY \(([^,"]+)\) REFERENCES ([^(]+)\([^)]+\)(.*)$')) k (parts)
          JOIN collection_objects() r ON r.object = 'table ' || split_part(s.name, ' on ', 2) AND r.part_of IS NULL
         WHERE s.kind = 'constraint' AND to_regclass(k.parts[2]) = referencing.parent)
    SELECT r.oid::regclass, k.attname,
           r.relname = 'ask_rankings' OR (k.action = 'a' AND r.relname <> 'judged_queries')
      FROM (SELECT CASE WHEN k.conrelid = 'ranked_lists'::regclass THEN 'stc.st1_rankings'::regclass
                        ELSE k.conrelid::regclass END AS relation, k.attname, k.action
              FROM keys k
             UNION ALL
            SELECT 'stc.st1_rankings'::regclass, 'doc', 'a' WHERE referencing.parent = 'dblp'::regclass) k
      JOIN pg_class r ON r.oid = k.relation
     WHERE k.action IN ('a', 'c')
       AND r.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace)
     ORDER BY r.relname, k.attname
$$;
COMMENT ON FUNCTION referencing(regclass) IS
'Tables that reference a table, and whether their rows keep the referenced row from being deleted';
