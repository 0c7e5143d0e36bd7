-- text_indexed: the number of documents if the BM25 indexes of the shards are those of the build, else -1; NULL if the
-- shards have none. The index of the coordinator is empty.
CREATE OR REPLACE FUNCTION text_indexed()
RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN (SELECT CASE WHEN shards('dblp_text') = cardinality(s.anchors)
                             AND shard_sizes(s.anchors) IS NOT DISTINCT FROM s.sealed
                        THEN s.documents ELSE -1 END
              FROM text_index s WHERE s.anchors IS NOT NULL);
END
$$;
COMMENT ON FUNCTION text_indexed() IS
'Number of documents in the BM25 index; NULL without one, or without the right to query it';
