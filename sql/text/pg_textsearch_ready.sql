-- pg_textsearch_ready: return true if pg_textsearch can be used on this server, and on all others of the collection.
--
-- Its library must be loaded at server start, which defines the setting pg_textsearch.library_version. The extension
-- must exist, or the current role must be able to create it.
CREATE OR REPLACE FUNCTION pg_textsearch_ready()
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN pg_textsearch_elsewhere() AND current_setting('pg_textsearch.library_version', true) IS NOT NULL
    AND (EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_textsearch')
         OR (EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch')
             AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)));
END
$$;
COMMENT ON FUNCTION pg_textsearch_ready() IS
'True if BM25 by pg_textsearch is available on all servers of the collection';
