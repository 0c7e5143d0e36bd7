-- shards: the number of shards of a table that Citus distributes; 1 for any other table.
CREATE OR REPLACE FUNCTION shards(relation regclass)
RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found integer := 0;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL THEN
        EXECUTE 'SELECT count(*) FROM pg_dist_shard s WHERE s.logicalrelid = $1' INTO found USING shards.relation;
    END IF;
    RETURN greatest(found, 1);
END
$$;
COMMENT ON FUNCTION shards(regclass) IS 'Number of shards of a table that Citus distributes; 1 for any other table';
