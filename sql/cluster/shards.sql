-- shards: the number of shards of a table that Citus distributes; 1 for any other table.
CREATE OR REPLACE FUNCTION shards(relation regclass)
RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN greatest(1, (SELECT count(*) FROM pg_dist_shard s WHERE s.logicalrelid = shards.relation));
END
$$;
COMMENT ON FUNCTION shards(regclass) IS 'Number of parts of a table, each with a separate index';
