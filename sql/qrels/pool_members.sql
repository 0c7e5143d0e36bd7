-- pool_members: documents of a pool that each of its runs ranks within the pool's depth, with team, rank and grade
-- (pool_judged). Based on the current rankings of the pool's runs.
--
-- Raises IR102 no such edition, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_members(pool text, edition text DEFAULT NULL)
RETURNS TABLE (run text, team text, query integer, doc bigint, rank integer, rel smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stored jsonb := (SELECT p.params FROM qrels_pools p WHERE p.id = pool_key(pool_members.pool));
    names text[] := ARRAY(SELECT n.run FROM st1_runs n WHERE stored -> 'runs' ? n.run);
BEGIN
    IF cardinality(names) = 0 THEN
        RETURN;  -- an empty array would mean all runs to pool_runs
    END IF;
    RETURN QUERY
    SELECT r.run, r.team, d.query, d.doc, r.rank, d.rel
      FROM pool_judged(pool_members.pool, pool_members.edition) d
      JOIN (SELECT n.run, n.team, k.query, k.doc, k.rank
              FROM pool_runs(names) n
              JOIN rankings_to((stored ->> 'depth')::integer) k ON k.run = n.id
            OFFSET 0) r ON r.query = d.query AND r.doc = d.doc;  -- OFFSET 0 unnests each list once
END
$$;
COMMENT ON FUNCTION pool_members(text, text) IS
    'Documents of a pool that each of its runs ranks within the pool''s depth, with team, rank and grade';
