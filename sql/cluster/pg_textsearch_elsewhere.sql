-- pg_textsearch_elsewhere: true if all workers have the library of pg_textsearch and offer the extension. An extension
-- that is created on the coordinator is created on the workers, too.
CREATE OR REPLACE FUNCTION pg_textsearch_elsewhere()
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN (SELECT bool_and(w.success AND w.result = 't') FROM run_command_on_workers(
        $sql$SELECT current_setting('pg_textsearch.library_version', true) IS NOT NULL
            AND EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch')$sql$) w);
END
$$;
COMMENT ON FUNCTION pg_textsearch_elsewhere() IS 'True if all other servers of the collection have pg_textsearch';
