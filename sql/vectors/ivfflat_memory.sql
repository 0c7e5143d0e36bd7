-- ivfflat_memory: the bytes of maintenance_work_mem that an ivfflat build needs; pgvector refuses to build with less.
--
--   samples = max(50 · lists, 10000)
--   bytes   = (samples + 2 · lists) · (4 · dim + 8) + 4 · samples · lists + 4 · lists² + a small remainder
--             (the sample, old and new centres, and the bounds of Elkan's k-means, ICML 2003; pgvector 0.8,
--                 src/ivfkmeans.c)
CREATE OR REPLACE FUNCTION ivfflat_memory(lists integer, dim integer)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (greatest(50 * lists, 10000) + 2 * lists) * (4 * dim + 16)::bigint
    + 4 * greatest(50 * lists, 10000)::bigint * (lists + 2)
    + 4 * lists::bigint * (lists + 3);
COMMENT ON FUNCTION ivfflat_memory(integer, integer) IS 'Bytes of maintenance_work_mem that an ivfflat build needs';
