-- hnsw_workers: maximum number of parallel workers for building an HNSW index.
--
-- 0 with pgvector before 0.8.2, whose parallel builds can overflow a buffer (CVE-2026-3172): another user of the server
-- could write vectors that do so. On the embedded server (stc.embedded in its configuration) all users belong to one
-- collection, and the build uses all workers.
CREATE OR REPLACE FUNCTION hnsw_workers() RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE WHEN current_setting('stc.embedded', true) = 'on'
                  OR vector_version() >= '{0,8,2}'
                THEN current_setting('max_parallel_workers')::integer ELSE 0 END
$$;
COMMENT ON FUNCTION hnsw_workers() IS
'Maximum number of workers for building an HNSW index: 0 if the version of pgvector makes that unsafe on this server';
