-- set_everywhere: set configuration parameters until the end of the transaction, on all servers of the collection.
-- settings: an object of names and values, written by the collection's own functions.
CREATE OR REPLACE FUNCTION set_everywhere(settings jsonb)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM set_config(e.key, e.value, true) FROM jsonb_each_text(set_everywhere.settings) e;
END
$$;
COMMENT ON FUNCTION set_everywhere(jsonb) IS
'Set configuration parameters until the end of the transaction, also on the workers of a distributed collection';
