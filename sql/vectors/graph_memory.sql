-- graph_memory: the bytes of maintenance_work_mem to build a graph of vectors (hnsw, diskann) with m links per vector.
-- A graph is built in memory if it fits (graph_limit), and otherwise many times slower.
--
-- pgvector needs the vector, 2 m links of 16 bytes on the lowest layer, and some 250 bytes for each row.
CREATE OR REPLACE FUNCTION graph_memory(rows bigint, dim integer, m integer, half boolean, bits boolean)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rows * (CASE WHEN bits THEN dim / 8 WHEN half THEN 2 * dim ELSE 4 * dim END + 34 * m + 250);
COMMENT ON FUNCTION graph_memory(bigint, integer, integer, boolean, boolean) IS
'Bytes of memory to build a graph of vectors (hnsw, diskann)';
