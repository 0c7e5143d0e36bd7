-- knn_on_shards: the nearest vectors in a distributed collection by the indexes of its shards. Part of knn_elsewhere.
--
-- Documents are spread over s shards by a hash of their ids, so that a shard has about k/s of the first k. Two rounds:
--
--   1. Each shard returns its first 10 + 1.25 k/s. The k-th distance of all shards is an upper bound of the final
--      k-th distance.
--   2. A shard that has more and whose last distance is not above this bound returns its first k, and those that equal
--      the last one.
--
-- A vector that was not returned is farther than the k-th one by the order of its shard's index, so the first k are
-- those that k from each shard would give, with a tenth of the rows. Cf. Cao & Wang, PODC 2004.
--
-- walked: the index. relation: the table of vectors. effort: the number of lists or candidates of each shard. filter,
-- condition: a filter and its condition (filter_condition), which must read no other table than the facts; NULL: none.
-- The arrays are NULL if no vector was found, or if the answer of a shard is missing, because the document by which it
-- is reached (vector_indexes.anchors) was removed: complete is false then.
CREATE OR REPLACE FUNCTION knn_on_shards(
    query vector, k integer, walked vector_indexes, space vector_models, relation name, effort integer,
    filter jsonb, condition text,
    OUT docs bigint[], OUT distances double precision[], OUT complete boolean
)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    spread CONSTANT integer := cardinality((walked).anchors);
    column_name CONSTANT name := vector_column((walked).field);
    asked bigint[] := (walked).anchors;
    few integer := least(knn_on_shards.k, 10 + 1.25 * knn_on_shards.k / spread);
    search jsonb := jsonb_build_object(
        'column', column_name, 'rows', vector_rows((walked).field)
            || CASE (space).storage WHEN 'sparsevec' THEN format(' AND v.%I <#> %s < 0', column_name,
                                                                 vector_compared('$2', space)) ELSE '' END,
        'order', vector_order('v.' || quote_ident(column_name), vector_compared('$2', space), (space).dim, walked),
        'compared', vector_compared('$2', space),
        'kind', (walked).kind, 'effort', knn_on_shards.effort,
        'filter', knn_on_shards.filter, 'where', knn_on_shards.condition);
    one record;
    found bigint[];
    lasts double precision[];
    bound double precision;
BEGIN
    LOOP
        search := search || jsonb_build_object(
            'k', few, 'fetched', vector_fetched(walked, (space).storage, few, knn_on_shards.filter IS NOT NULL),
            'ties', few = knn_on_shards.k AND NOT (walked).bits);
        found := '{}';
        lasts := '{}';
        FOR one IN EXECUTE format(
            CASE WHEN knn_on_shards.condition IS NULL THEN
                'SELECT v.id, f.docs, f.distances, f.more FROM %I v
                  CROSS JOIN LATERAL knn_shard(v.tableoid, NULL, $2, $3) f WHERE v.id = ANY ($1)'
            ELSE
                'SELECT v.id, f.docs, f.distances, f.more FROM %I v JOIN dblp_facts d ON d.id = v.id
                  CROSS JOIN LATERAL knn_shard(v.tableoid, d.tableoid, $2, $3) f WHERE v.id = ANY ($1)'
            END, relation)
            USING asked, knn_on_shards.query, search LOOP
            docs := docs || one.docs;
            distances := distances || one.distances;
            found := found || one.id;
            lasts := lasts || CASE WHEN one.more THEN one.distances[cardinality(one.distances)]
                                   ELSE 'Infinity' END;
        END LOOP;
        complete := cardinality(found) = cardinality(asked);
        EXIT WHEN NOT complete OR few = knn_on_shards.k;
        bound := coalesce((SELECT u.distance FROM unnest(distances) u (distance)
                            ORDER BY u.distance OFFSET knn_on_shards.k - 1 LIMIT 1), 'Infinity');
        asked := ARRAY(SELECT u.id FROM unnest(found, lasts) u (id, last)
                        WHERE u.last <= bound AND u.last < 'Infinity');
        EXIT WHEN asked = '{}';
        few := knn_on_shards.k;
    END LOOP;
    -- A shard of the second round returns documents a second time.
    SELECT array_agg(s.doc ORDER BY s.distance), array_agg(s.distance ORDER BY s.distance) INTO docs, distances
      FROM (SELECT DISTINCT u.doc, u.distance FROM unnest(docs, distances) u (doc, distance)
             ORDER BY u.distance FETCH FIRST knn_on_shards.k ROWS WITH TIES) s;
END
$$;
COMMENT ON FUNCTION knn_on_shards(vector, integer, vector_indexes, vector_models, name, integer, jsonb, text) IS
'Part of knn: the nearest vectors in a distributed collection, by the index of each shard';
