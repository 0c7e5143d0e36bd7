-- shard_sizes: the sizes in bytes of the BM25 indexes of the shards that hold these documents, in their order; NULL for
-- NULL.
CREATE OR REPLACE FUNCTION shard_sizes(anchors bigint[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    ids bigint[];
    bytes bigint[];
BEGIN
    EXECUTE 'SELECT array_agg(t.id), array_agg(pg_relation_size(shard_index(t.tableoid)))
               FROM dblp_text t WHERE t.id = ANY ($1)' INTO ids, bytes USING shard_sizes.anchors;
    RETURN ARRAY(SELECT s.bytes FROM unnest(shard_sizes.anchors) WITH ORDINALITY a (id, place)
                   LEFT JOIN unnest(ids, bytes) s (id, bytes) USING (id) ORDER BY a.place);
END
$$;
COMMENT ON FUNCTION shard_sizes(bigint[]) IS 'Sizes of the BM25 indexes of the shards that hold these documents';
