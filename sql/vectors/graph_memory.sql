-- graph_memory: the bytes of maintenance_work_mem to build a graph of vectors (hnsw, diskann) with m links per vector.
-- A graph is built in memory if it fits, and otherwise many times slower.
--
-- pgvector needs the vector, 2 m links of 16 bytes on the lowest layer, and some 250 bytes for each row. At most two
-- thirds of effective_cache_size, and 2 GB where that is more.
CREATE OR REPLACE FUNCTION graph_memory(rows bigint, dim integer, m integer, half boolean, bits boolean)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN least(
    rows * (CASE WHEN bits THEN dim / 8 WHEN half THEN 2 * dim ELSE 4 * dim END + 34 * m + 250),
    greatest(2::bigint << 30, 2 * pg_size_bytes(current_setting('effective_cache_size')) / 3));
COMMENT ON FUNCTION graph_memory(bigint, integer, integer, boolean, boolean) IS
'Bytes of maintenance_work_mem to build a graph of vectors (hnsw, diskann)';
