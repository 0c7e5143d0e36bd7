-- pool_readings: possible meanings of the name of a side of an agreement (agreement_readings) as grades on the sheets
-- of a pool, submitted or not; one row per meaning.
--
--   pool:POOL             the grades of all annotators: final ones, else the earliest
--   pool:POOL/ANNOTATOR   those of one annotator
--   {"pool": …, "annotator": …}   the same if names contain /
--
-- It is called for such names only, because members of teams have no right on pools.
CREATE OR REPLACE FUNCTION pool_readings(name text) RETURNS TABLE (pool_id integer, edition text, annotator text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.id, 'pool:' || p.pool, nullif(substr(n.name, length(p.pool) + 7), '')
      FROM qrels_pools p CROSS JOIN (VALUES (pool_readings.name)) AS n (name)
     WHERE n.name = 'pool:' || p.pool OR starts_with(n.name, format('pool:%s/', p.pool))
     UNION ALL
    SELECT p.id, 'pool:' || p.pool, o.doc ->> 'annotator'
      FROM (SELECT CASE WHEN n.name IS JSON OBJECT THEN n.name::jsonb END AS doc
              FROM unnest(ARRAY[pool_readings.name]) AS n (name)) o
      JOIN qrels_pools p ON p.pool = (o.doc ->> 'pool') COLLATE "C"
$$;
COMMENT ON FUNCTION pool_readings(text) IS
    'Possible meanings of the name of a side of an agreement as grades of a pool: pool:POOL or pool:POOL/ANNOTATOR';
