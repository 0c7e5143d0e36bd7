-- seal_text_index: store in text_index, for each shard with a BM25 index, the size of the index, by which searches
-- notice later changes (bm25_on_shards, text_index_touched), and the name of the shard of text_lengths with its
-- documents. index_text calls it after a build, and stc db nodes --rebalance after a move, which builds indexes again.
-- Therefore the note that all documents were found (verify_text_index) is removed. index: not used, because the
-- coordinator's own index is empty.
CREATE OR REPLACE FUNCTION seal_text_index(index regclass)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    wanted CONSTANT bigint[] := (SELECT anchors FROM text_index);
    ids bigint[];
    names text[];
BEGIN
    EXECUTE 'SELECT array_agg(l.id), array_agg(l.tableoid::regclass::text) FROM text_lengths l WHERE l.id = ANY ($1)'
       INTO ids, names USING wanted;
    UPDATE text_index SET sealed = shard_sizes(wanted), lengths = ARRAY(
        SELECT s.name
          FROM unnest(wanted) WITH ORDINALITY a (id, place)
          LEFT JOIN unnest(ids, names) s (id, name) USING (id)
         ORDER BY a.place)
     WHERE wanted IS NOT NULL;
    IF to_regclass('dblp_text_bm25') IS NOT NULL THEN
        COMMENT ON INDEX dblp_text_bm25 IS NULL;
    END IF;
END
$$;
COMMENT ON FUNCTION seal_text_index(regclass) IS
'Store the size of a new BM25 index, by which searches notice later changes of it';
