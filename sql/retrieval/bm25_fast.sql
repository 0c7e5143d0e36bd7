-- bm25_fast: return true if pg_textsearch's index answers BM25 queries.
--
-- The text index must be current, of this major version of PostgreSQL, and built with pg_textsearch (or that engine
-- requested), the BM25 index must exist, its library must be loaded, and no documents were added after the build
-- (text_index_touched). In a distributed collection, shards must not have been split.
--
-- state: the row of text_index; all NULL if no index exists. engine: the requested engine; NULL: the one that the text
-- index was built with. Written so that PostgreSQL inlines it, because every search calls it. to_regclass: a constant
-- would make the function depend on the table, which undistribute_documents replaces.
CREATE OR REPLACE FUNCTION bm25_fast(state text_index, engine text)
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN NOT coalesce((state).stale, true) AND coalesce(engine, (state).engine) = 'pg_textsearch'
    AND coalesce((state).server_major = current_setting('server_version_num')::integer / 10000, true)
    AND to_regclass('public.dblp_text_bm25') IS NOT NULL
    AND current_setting('pg_textsearch.library_version', true) IS NOT NULL
    AND NOT text_index_touched(to_regclass('public.dblp_text_bm25'))
    AND ((state).anchors IS NULL OR shards(to_regclass('public.dblp_text')) = cardinality((state).anchors));
COMMENT ON FUNCTION bm25_fast(text_index, text) IS 'True if pg_textsearch''s index answers BM25 queries';
