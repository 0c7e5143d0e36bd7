-- order_pool: let assessors judge a pool in batches; within a batch, documents come query by query in the random order
-- of each assessor's sheet (pool_share). Documents that are not named come last, in one batch.
--
--   queries, docs, batches  keys, and the number of the batch, from 1
--   rule                    how they were ordered, for pool_overview; NULL restores the order without batches
--
-- Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION order_pool(pool text, queries integer[], docs bigint[], batches integer[], rule jsonb)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(order_pool.pool);
    last_batch integer := CASE WHEN order_pool.rule IS NULL THEN 0
                               ELSE 1 + coalesce((SELECT max(b) FROM unnest(order_pool.batches) AS b), 0) END;
BEGIN
    UPDATE qrels_pools p
       SET params = CASE WHEN order_pool.rule IS NULL THEN p.params - 'order'
                         ELSE p.params || jsonb_build_object('order', order_pool.rule) END
     WHERE p.id = pool_id;
    UPDATE qrels_pool_documents d SET batch = w.batch
      FROM (SELECT o.query, o.doc, coalesce(n.batch, last_batch) AS batch
              FROM qrels_pool_documents o
              LEFT JOIN unnest(order_pool.queries, order_pool.docs, order_pool.batches) AS n (query, doc, batch)
                   ON n.query = o.query AND n.doc = o.doc
             WHERE o.pool = pool_id) w
     WHERE d.pool = pool_id AND d.query = w.query AND d.doc = w.doc AND d.batch <> w.batch;
END
$$;
COMMENT ON FUNCTION order_pool(text, integer[], bigint[], integer[], jsonb) IS
    'Lets assessors judge a pool in batches, or restores the order without batches';
