-- disk_usage: bytes on disk of each part of the collection, largest first. Tables count with their TOAST tables and
-- indexes, except that the indexes that 'stc index' and 'stc vectors index' build are separate parts.
--
--   documents       dblp and what is derived from it: years, venues, authors, citations; the ledger of loaded files
--   text            dblp_text and passages          text indexes     of dblp_text: GIN, BM25, statistics of words
--   vectors         of all models and queries       vector indexes   ivfflat, hnsw, diskann, impact
--   readability     measures and credibility        runs             runs with their rankings, also unfinished ones
--   scores          stored and imported             judgments        editions, pools, judgments
--   other           topics, studies, and the rest
CREATE OR REPLACE FUNCTION disk_usage()
RETURNS TABLE (part text, bytes bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 12
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT u.part, sum(u.bytes)::bigint
      FROM (SELECT CASE
                       WHEN a.amname IN ('ivfflat', 'hnsw', 'diskann') OR c.relname ~ '_impact$' THEN 'vector indexes'
                       WHEN t.relname = 'text_lexemes' OR t.relname = 'dblp_text' AND a.amname IN ('gin', 'bm25')
                       THEN 'text indexes'
                       WHEN t.relname IN ('dblp_text', 'dblp_passages') OR t.relname ~ '^text_' THEN 'text'
                       WHEN t.relname ~ '^(dblp_[vp](_|$)|query_v$|vector_)' THEN 'vectors'
                       WHEN t.relname ~ '^(dblp|corpus_)' THEN 'documents'
                       WHEN t.relname ~ '^(st1_complexity|complexity|credibility|citation)' THEN 'readability'
                       WHEN t.relname ~ '^(st1_r|ranked_|run_|unfinished)' THEN 'runs'
                       WHEN t.relname ~ '^(st1_scores|judged)' THEN 'scores'
                       WHEN t.relname ~ '^(qrels|st1_qrels)' THEN 'judgments'
                       ELSE 'other' END AS part,
                   CASE c.relkind WHEN 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END AS bytes
              FROM pg_class c
              LEFT JOIN pg_index i ON i.indexrelid = c.oid
              LEFT JOIN pg_am a ON a.oid = c.relam AND c.relkind = 'i'
              JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid)
             WHERE c.relkind IN ('r', 'm', 'i')
               AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace)
               AND has_schema_privilege(c.relnamespace, 'USAGE')) u
     GROUP BY u.part
     ORDER BY 2 DESC
$$;
COMMENT ON FUNCTION disk_usage() IS 'Bytes on disk of each part of the collection, largest first';
