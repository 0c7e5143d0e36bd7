-- graph_limit: the bytes of memory that the build of a graph of vectors (hnsw, diskann) may use: two thirds of
-- effective_cache_size, but at least 2 GB. tests/db/test_costs.py compares it with stcollection/db/costs.py.
CREATE OR REPLACE FUNCTION graph_limit()
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN greatest(2::bigint << 30, 2 * pg_size_bytes(current_setting('effective_cache_size')) / 3);
COMMENT ON FUNCTION graph_limit() IS 'Bytes of memory that the build of a graph of vectors (hnsw, diskann) may use';
