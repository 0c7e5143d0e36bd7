-- knn_shard: the nearest vectors of one shard by its index. Part of knn_on_shards; workers execute it.
--
-- vectors, facts: the shard's tables; facts only for a filter. search: the rest of the search
--
--   column         the vectors to compare
--   rows           condition on a row v that has such a vector (vector_rows)
--   compared       the query's vector $2 in the type of the vectors (vector_compared)
--   order          expression by which the index orders rows v (vector_order)
--   kind, effort   of the index (vector_effort)
--   fetched        number of rows to read from the index (vector_fetched), and
--   ties           whether also those that equal the last one
--   k              number of rows to return at most; all that were read if ties is true
--   filter, where  a filter, and its condition on a row d of the facts (filter_condition); NULL: none
--
-- docs, distances: the nearest first. more: the shard may have others.
CREATE OR REPLACE FUNCTION knn_shard(
    vectors regclass, facts regclass, query vector, search jsonb,
    OUT docs bigint[], OUT distances double precision[], OUT more boolean
)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = off
SET enable_indexscan = on
SET jit = off
AS $$
DECLARE
    k CONSTANT integer := search ->> 'k';
    fetched CONSTANT integer := search ->> 'fetched';
    ties CONSTANT boolean := search ->> 'ties';
    before CONSTANT jsonb := vector_effort(search ->> 'kind', (search ->> 'effort')::integer, k, here => true);
BEGIN
    -- After an index search the rows are not sorted, but the planner assumes so: + 0 makes it sort them.
    EXECUTE format(
        $sql$SELECT array_agg(n.id ORDER BY n.distance + 0), array_agg(n.distance ORDER BY n.distance + 0)
               FROM (SELECT v.id, v.%I <#> %s AS distance FROM %s v WHERE %s AND %s
                      ORDER BY %s FETCH FIRST $3 ROWS %s) n$sql$,
        search ->> 'column', search ->> 'compared', vectors, search ->> 'rows',
        -- A subquery on the row: the planner cannot turn it into a join, which would lose the order of the index.
        CASE WHEN facts IS NULL THEN 'true'
             ELSE format('(SELECT true FROM %s d WHERE d.id = v.id AND %s)', facts, search ->> 'where') END,
        search ->> 'order', CASE WHEN ties THEN 'WITH TIES' ELSE 'ONLY' END)
       INTO docs, distances USING search -> 'filter', knn_shard.query, fetched;
    PERFORM set_config(e.key, e.value, true) FROM jsonb_each_text(before) e;
    more := cardinality(docs) >= fetched;
    IF NOT ties AND cardinality(docs) > k THEN
        docs := docs[:k];
        distances := distances[:k];
        more := true;
    END IF;
END
$$;
COMMENT ON FUNCTION knn_shard(regclass, regclass, vector, jsonb) IS
'Nearest vectors of one shard of a distributed collection, by its index';
