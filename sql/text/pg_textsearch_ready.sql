-- pg_textsearch_ready: whether pg_textsearch can be used here: its library was loaded at server start (it tells its
-- version by a setting), and the extension is there or this role may create it.
CREATE OR REPLACE FUNCTION pg_textsearch_ready()
RETURNS boolean
LANGUAGE sql STABLE
RETURN current_setting('pg_textsearch.library_version', true) IS NOT NULL
    AND (EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_textsearch')
         OR (EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch')
             AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)));
COMMENT ON FUNCTION pg_textsearch_ready() IS 'Whether BM25 by pg_textsearch can be had on this server';
