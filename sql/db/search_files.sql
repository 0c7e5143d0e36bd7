-- search_files: the tables and indexes that searches read, in the order in which they deserve memory (stc db warm),
-- with their size in bytes and their file, relative to the server's data folder.
--
--   part   text index (BM25, GIN, statistics of words), filters (facts of documents, docnos), vector indexes, vectors,
--          texts
--
-- Without TOAST tables, except those of vectors. Empty ones are left out.
CREATE OR REPLACE FUNCTION search_files()
RETURNS TABLE (part text, relation regclass, is_table boolean, bytes bigint, file text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 40
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT f.part, f.oid::regclass, f.is_table, pg_relation_size(f.oid), pg_relation_filepath(f.oid)
      FROM (SELECT c.oid, c.relname, c.relkind <> 'i' AS is_table,
                   CASE WHEN t.relname ~ '^text_le' OR t.relname IN ('dblp_text', 'dblp_passages')
                             AND a.amname IN ('gin', 'bm25')
                        THEN 'text index'
                        WHEN t.relname = 'dblp_facts' OR c.relname = 'dblp_docnos_idx' THEN 'filters'
                        WHEN a.amname IN ('ivfflat', 'hnsw', 'diskann') OR c.relname ~ '_impact$' THEN 'vector indexes'
                        WHEN t.relname ~ '^dblp_[vp](_|$)' THEN 'vectors'
                        WHEN c.relname IN ('dblp_text', 'dblp_text_pkey') THEN 'texts' END AS part
              FROM pg_class c
              LEFT JOIN pg_index i ON i.indexrelid = c.oid
              LEFT JOIN pg_class s ON s.reltoastrelid = c.oid AND s.relname ~ '^dblp_[vp](_|$)'
              LEFT JOIN pg_am a ON a.oid = c.relam AND c.relkind = 'i'
              JOIN pg_class t ON t.oid = coalesce(i.indrelid, s.oid, c.oid)
             WHERE c.relkind IN ('r', 'i', 't')
               AND t.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace)) f
     WHERE f.part IS NOT NULL AND pg_relation_size(f.oid) > 0
     ORDER BY array_position('{text index,filters,vector indexes,vectors,texts}'::text[], f.part), f.is_table, f.relname
$$;
COMMENT ON FUNCTION search_files() IS
'Tables and indexes that searches read, in the order in which they deserve memory, with size and file';
