-- seal_shards: store in text_index, for each shard with a BM25 index, the size of the index, by which searches notice
-- later changes (bm25_on_shards, text_index_touched), and the name of the shard of text_lengths with its documents. index_text calls it after a build, nodes.rebalance after a move.
CREATE OR REPLACE FUNCTION seal_shards()
RETURNS void
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    wanted CONSTANT bigint[] := (SELECT anchors FROM text_index);
    ids bigint[];
    bytes bigint[];
    names text[];
BEGIN
    EXECUTE 'SELECT array_agg(t.id), array_agg(pg_relation_size(shard_index(t.tableoid))),
                    array_agg(l.tableoid::regclass::text)
               FROM dblp_text t JOIN text_lengths l ON l.id = t.id WHERE t.id = ANY ($1)'
       INTO ids, bytes, names USING wanted;
    UPDATE text_index SET (sealed, lengths) = (
        SELECT array_agg(s.bytes ORDER BY a.place), array_agg(s.name ORDER BY a.place)
          FROM unnest(wanted) WITH ORDINALITY a (id, place) LEFT JOIN unnest(ids, bytes, names) s (id, bytes, name) USING (id));
END
$$;
COMMENT ON FUNCTION seal_shards() IS
'Store the sizes of the BM25 indexes of the shards, by which searches notice later changes of an index';
