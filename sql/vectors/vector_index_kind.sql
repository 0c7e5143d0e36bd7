-- vector_index_kind: choose the kind of a vector index by the number of vectors and the memory for its build: hnsw from
-- 100,000 vectors on if its graph (graph_memory) fits into memory and pgvector is sound, else ivfflat. reason: why, as
-- a clause. sound: pgvector is 0.8.4 or later; VACUUM of earlier versions can damage hnsw.
--
-- The time of a search grows with the number of vectors in ivfflat, and hardly in hnsw, whose build takes ten times as
-- long. docs/howto/vectors.md has the measurements. A graph larger than memory is built many times slower still, and
-- searched from disk.
CREATE OR REPLACE FUNCTION vector_index_kind(
    rows bigint, graph bigint, memory bigint, sound boolean, OUT kind text, OUT reason text
)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT CASE WHEN rows >= 100000 AND graph <= memory AND sound THEN 'hnsw' ELSE 'ivfflat' END,
           CASE WHEN rows < 100000 THEN 'fewer than 100,000 vectors: built in seconds, searched in milliseconds'
                WHEN graph <= memory AND NOT sound
                THEN 'hnsw is faster at this size, but before pgvector 0.8.4 a cleaning can damage its indexes'
                ELSE format(CASE WHEN graph <= memory THEN '100,000 vectors or more: searches are faster than with '
                                 'ivfflat, and the graph of %s fits into the %s that a build may use'
                            ELSE 'the graph of hnsw takes %s, more than the %s that a build may use' END,
                            pg_size_pretty(graph), pg_size_pretty(memory)) END
$$;
COMMENT ON FUNCTION vector_index_kind(bigint, bigint, bigint, boolean) IS
'Kind of vector index for a number of vectors, the bytes of a graph of them and the memory for its build, and why';
