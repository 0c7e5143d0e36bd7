-- knn_elsewhere: the nearest vectors by the index of each shard (knn_on_shards). complete is false if an index cannot
-- be used: shards were split, the shards cannot check the filter, or a graph did not reach k vectors. Part of
-- knn_among.
CREATE OR REPLACE FUNCTION knn_elsewhere(
    query vector, k integer, walked vector_indexes, space vector_models, relation name, effort integer,
    filter jsonb, condition text,
    OUT docs bigint[], OUT distances double precision[], OUT complete boolean
)
LANGUAGE plpgsql STABLE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    complete := false;
    IF cardinality((walked).anchors) = shards(to_regclass(quote_ident(knn_elsewhere.relation)))
       AND (knn_elsewhere.condition IS NULL
            OR filter_of_facts(knn_elsewhere.condition) AND filter_while_scoring(knn_elsewhere.filter)) THEN
        SELECT s.docs, s.distances,
               s.complete AND ((walked).kind = 'ivfflat' OR coalesce(cardinality(s.docs), 0) >= knn_elsewhere.k)
          INTO docs, distances, complete
          FROM knn_on_shards(knn_elsewhere.query, knn_elsewhere.k, walked, space, knn_elsewhere.relation,
                             knn_elsewhere.effort, knn_elsewhere.filter, knn_elsewhere.condition) s;
    END IF;
END
$$;
COMMENT ON FUNCTION knn_elsewhere(vector, integer, vector_indexes, vector_models, name, integer, jsonb, text) IS
'Part of knn: the nearest vectors by the indexes of other servers, if they can find them';
