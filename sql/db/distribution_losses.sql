-- distribution_losses: the keys, triggers and indexes that a collection loses when it is distributed, because Citus
-- does not support them, with the statement that drops each, and another that replaces it as far as possible.
--
--   foreign key   from a table that is not distributed, or by another column than the distribution column
--   unique key    without the distribution column; an index replaces it
--   trigger       on a distributed table or a reference table
--   index         of text (BM25) and of vectors: each shard would have its own statistics and centres
--   identity      column: Citus cannot move its table back
--
-- Read from the catalogue of a collection that is not distributed.
CREATE OR REPLACE FUNCTION distribution_losses()
RETURNS TABLE (kind text, relation regclass, name text, definition text, drop_sql text, replace_sql text)
LANGUAGE sql STABLE ROWS 40
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH spread AS MATERIALIZED (
        SELECT p.relation, p.placement, p.attribute, a.attnum
          FROM distribution_plan() p
          LEFT JOIN pg_attribute a ON a.attrelid = p.relation AND a.attname = p.attribute
         WHERE p.placement <> 'local'),
    losses (kind, relation, name, definition, drop_sql, replace_sql) AS (
        SELECT 'foreign key', k.conrelid::regclass, k.conname::text, pg_get_constraintdef(k.oid),
               format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname), NULL
          FROM pg_constraint k
          JOIN spread s ON s.relation = k.confrelid AND s.placement <> 'reference'
          LEFT JOIN spread o ON o.relation = k.conrelid
         WHERE k.contype = 'f' AND k.conparentid = 0
           AND (k.confkey, k.conkey) IS DISTINCT FROM (ARRAY[s.attnum], ARRAY[o.attnum])
         UNION ALL
        SELECT 'unique key', k.conrelid::regclass, k.conname::text, pg_get_constraintdef(k.oid),
               format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname),
               format('CREATE INDEX %I ON %s %s', regexp_replace(k.conname, '(_key)?$', '_idx'), k.conrelid::regclass,
                      substring(pg_get_constraintdef(k.oid) FROM '\(.*\)'))
          FROM pg_constraint k JOIN spread s ON s.relation = k.conrelid AND s.placement <> 'reference'
         WHERE k.contype IN ('p', 'u') AND s.attnum <> ALL (k.conkey)
         UNION ALL
        SELECT 'trigger', g.tgrelid::regclass, g.tgname::text,
               regexp_replace(pg_get_triggerdef(g.oid), '^CREATE TRIGGER \S+ (.*) ON \S+( .*)$', '\1\2'),
               format('DROP TRIGGER %I ON %s', g.tgname, g.tgrelid::regclass), NULL
          FROM pg_trigger g JOIN spread s ON s.relation = g.tgrelid
         WHERE NOT g.tgisinternal
         UNION ALL
        SELECT 'index', i.indrelid::regclass, c.relname::text, substring(pg_get_indexdef(i.indexrelid) FROM 'USING.*'),
               format('DROP INDEX %s', i.indexrelid::regclass), NULL
          FROM pg_index i JOIN spread s ON s.relation = i.indrelid
          JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
         WHERE m.amname IN ('bm25', 'ivfflat', 'hnsw', 'diskann')
         UNION ALL  -- of impacts (build_impacts)
        SELECT 'index', s.relation::regclass, vector_index_name(m.relation, i.field, 'impact'), 'USING bm25 (content)',
               format('DROP TABLE IF EXISTS stc.%I', vector_index_name(m.relation, i.field, 'impacts')), NULL
          FROM vector_indexes i JOIN vector_models m USING (model)
          JOIN spread s ON s.relation = to_regclass(quote_ident(m.relation))
         WHERE i.kind = 'impact'
         UNION ALL
        SELECT 'identity', s.relation, a.attname::text,
               format('GENERATED %s AS IDENTITY', CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END),
               format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', s.relation, a.attname), NULL
          FROM spread s JOIN pg_attribute a ON a.attrelid = s.relation AND a.attidentity <> '' AND a.attnum > 0)
    SELECT * FROM losses l ORDER BY l.kind, l.relation::text, l.name
$$;
COMMENT ON FUNCTION distribution_losses() IS
'Keys, triggers and indexes that Citus does not support, which are dropped when the collection is distributed';
