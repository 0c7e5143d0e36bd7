-- change_servers_in_turn: nothing on one server; cluster/change_servers_in_turn.sql is for several.
CREATE OR REPLACE FUNCTION change_servers_in_turn()
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
END
$$;
COMMENT ON FUNCTION change_servers_in_turn() IS
'Until the end of the transaction, change shards one after another';
