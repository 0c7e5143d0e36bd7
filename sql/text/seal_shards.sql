-- seal_shards: store the sizes of the BM25 indexes of the shards in text_index, so that searches notice later changes of
-- an index (bm25_on_shards, text_index_touched). index_text calls it after a build, nodes.rebalance after a move.
CREATE OR REPLACE FUNCTION seal_shards()
RETURNS void
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    wanted CONSTANT bigint[] := (SELECT anchors FROM text_index);
    ids bigint[];
    sizes bigint[];
BEGIN
    EXECUTE 'SELECT array_agg(t.id), array_agg(pg_relation_size(shard_index(t.tableoid))) FROM dblp_text t WHERE t.id = ANY ($1)'
       INTO ids, sizes USING wanted;
    UPDATE text_index SET sealed = ARRAY(
        SELECT s.bytes FROM unnest(wanted) WITH ORDINALITY a (id, place) LEFT JOIN unnest(ids, sizes) s (id, bytes) USING (id)
         ORDER BY a.place);
END
$$;
COMMENT ON FUNCTION seal_shards() IS
'Store the sizes of the BM25 indexes of the shards, by which searches notice later changes of an index';
