-- pool_of_set: number of queries of a set (query_set) in a pool.
--
-- Raises IR103 a term names no query, or the pool has no query of the set, IR110 no such pool, IR202 the expression is
-- not complete. A pool without queries has none of the set all; that is no error.
CREATE OR REPLACE FUNCTION pool_of_set(pool text, query_set text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    pool_id CONSTANT integer := pool_key(pool_of_set.pool);
    found CONSTANT integer := (SELECT count(DISTINCT d.query) FROM qrels_pool_documents d
                                WHERE d.pool = pool_id
                                  AND d.query IN (SELECT unnest(query_set_ids(pool_of_set.query_set))));
BEGIN
    IF found = 0 AND pool_of_set.query_set <> 'all' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('the pool %s has no query of the set %s', shown_name(pool_of_set.pool),
                             shown_name(pool_of_set.query_set)),
            HINT = '''stc show pools POOL --by queries'' lists the queries of a pool.';
    END IF;
    RETURN found;
END
$$;
COMMENT ON FUNCTION pool_of_set(text, text) IS
    'Number of queries of a set in a pool; an error if there are none';
