-- begin_loading: as corpus/begin_loading.sql, for several servers. No unique key protects docnos. Commits wait for the
-- disk: otherwise the workers could keep what the coordinator loses. A session uses one connection to a worker, not one
-- for each shard, so that fewer transactions commit in two phases.
CREATE OR REPLACE FUNCTION begin_loading()
RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', false);
    RETURN false;
END
$$;
COMMENT ON FUNCTION begin_loading() IS
'Set what a session needs that stores documents; true if a unique key protects docnos';
