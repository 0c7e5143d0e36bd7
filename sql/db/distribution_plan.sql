-- distribution_plan: where Citus would store each table of the collection.
--
--   document    distributed by document: dblp, and tables whose key is that of a document and whose rows are deleted
--               with it (text, vectors, facts, readability). Rows of one document are on one server
--   passage     distributed by passage: passages and their vectors. Rows of one passage are on one server
--   reference   a copy on every server: tables that distributed ones refer to, and the document frequencies of words,
--               which searches on the shards read
--   local       on the coordinator: all others. Runs, judgments and scores have triggers and partitions, which Citus
--               supports on local tables only
--
-- attribute: the distribution column. depth: number of foreign keys between the table and dblp; tables are distributed
-- in this order. Read from the foreign keys, so it describes a collection that is not distributed.
CREATE OR REPLACE FUNCTION distribution_plan()
RETURNS TABLE (relation regclass, placement text, attribute name, depth integer, bytes bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 80
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH RECURSIVE spread (relation, placement, attribute, depth) AS (
        SELECT 'public.dblp'::regclass, 'document', 'id'::name, 0
         UNION
        SELECT k.conrelid::regclass, CASE WHEN p.attnum = k.conkey[1] THEN s.placement ELSE 'passage' END, p.attname,
               s.depth + 1
          FROM spread s
          JOIN pg_constraint k ON k.confrelid = s.relation AND k.contype = 'f' AND k.confdeltype = 'c'
                              AND k.conparentid = 0
          JOIN pg_constraint y ON y.conrelid = k.conrelid AND y.contype = 'p'
          JOIN pg_attribute p ON p.attrelid = y.conrelid AND p.attnum = y.conkey[1]),
    copied (relation) AS (
        SELECT 'stc.text_lexemes'::regclass
         UNION
        SELECT k.confrelid::regclass
          FROM pg_constraint k JOIN spread s ON s.relation = k.conrelid
         WHERE k.contype = 'f' AND k.confrelid NOT IN (SELECT o.relation FROM spread o)),
    placed (relation, placement, attribute, depth) AS (
        SELECT * FROM spread
         UNION ALL
        SELECT c.relation, 'reference', NULL, NULL FROM copied c
         UNION ALL
        SELECT c.oid::regclass, 'local', NULL, NULL
          FROM stc_rights() r JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', r.schema, r.relation))
         WHERE c.oid NOT IN (SELECT o.relation FROM spread o) AND c.oid NOT IN (SELECT o.relation FROM copied o))
    SELECT p.relation, p.placement, p.attribute, p.depth,
           pg_total_relation_size(p.relation)
               + coalesce((SELECT sum(pg_total_relation_size(i.inhrelid)) FROM pg_inherits i
                            WHERE i.inhparent = p.relation), 0)::bigint
      FROM placed p
     ORDER BY array_position('{document,passage,reference,local}', p.placement), p.depth, p.relation::text
$$;
COMMENT ON FUNCTION distribution_plan() IS
'Tables that Citus would distribute by document or passage, copy to every server, or leave on the coordinator';
