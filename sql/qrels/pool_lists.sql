-- pool_lists: documents that the runs of a pool rank within its depth, one row per part of a ranked list; query and
-- docs are keys. Based on the current rankings; runs that were dropped since are missing.
--
-- Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_lists(pool text)
RETURNS TABLE (run text, query integer, first integer, docs bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_lists.pool);
    stored jsonb := (SELECT p.params FROM qrels_pools p WHERE p.id = pool_id);
    deepest integer := (stored ->> 'depth')::integer;
BEGIN
    RETURN QUERY
    SELECT n.run, l.query, l.first, l.docs[:deepest - l.first + 1]
      FROM st1_runs n
      JOIN ranked_lists l ON l.run = n.id AND l.first <= deepest
     WHERE stored -> 'runs' ? n.run
       AND l.query IN (SELECT d.query FROM qrels_pool_documents d WHERE d.pool = pool_id);
END
$$;
COMMENT ON FUNCTION pool_lists(text) IS
    'Documents that the runs of a pool rank within its depth, as arrays; all values except the run are keys';
