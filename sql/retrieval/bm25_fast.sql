-- bm25_fast: whether BM25 is answered by the index of pg_textsearch, for a state of the text index (all NULL: there is
-- none) and the engine that was asked for (NULL: the one that the text index was built with): it is current, the index
-- there, its library loaded, and nothing in it that came after the build (text_index_touched).
-- Written so that it is inlined: it is asked at each search.
CREATE OR REPLACE FUNCTION bm25_fast(state text_index, engine text)
RETURNS boolean
LANGUAGE sql STABLE
RETURN NOT coalesce((state).stale, true) AND coalesce(engine, (state).engine) = 'pg_textsearch'
    AND to_regclass('public.dblp_text_bm25') IS NOT NULL
    AND current_setting('pg_textsearch.library_version', true) IS NOT NULL
    AND NOT text_index_touched();
COMMENT ON FUNCTION bm25_fast(text_index, text) IS 'Whether BM25 is answered by the index of pg_textsearch';
