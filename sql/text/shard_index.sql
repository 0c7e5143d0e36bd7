-- shard_index: the last built BM25 index of pg_textsearch on a table, also on a shard; NULL if it has none.
CREATE OR REPLACE FUNCTION shard_index(relation regclass)
RETURNS regclass
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT max(i.indexrelid)::regclass FROM pg_index i
          JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
         WHERE i.indrelid = shard_index.relation AND m.amname = 'bm25');
COMMENT ON FUNCTION shard_index(regclass) IS 'The BM25 index of pg_textsearch on a table, also on a shard';
