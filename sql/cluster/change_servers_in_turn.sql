-- change_servers_in_turn: until the end of the transaction, change shards one after another, as Citus requires of
-- reference tables and of tables that refer to them.
CREATE OR REPLACE FUNCTION change_servers_in_turn()
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
END
$$;
COMMENT ON FUNCTION change_servers_in_turn() IS
'Until the end of the transaction, change shards one after another';
