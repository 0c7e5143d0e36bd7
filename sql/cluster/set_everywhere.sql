-- set_everywhere: set configuration parameters until the end of the transaction, also on the workers. settings: an
-- object of names and values, written by the collection's own functions. db/set_everywhere.sql is for one server.
--
-- Citus sends the statement SET LOCAL to workers, but not the effect of set_config.
CREATE OR REPLACE FUNCTION set_everywhere(settings jsonb)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    setting record;
BEGIN
    PERFORM set_config('citus.propagate_set_commands', 'local', true);
    FOR setting IN
        SELECT e.value,
               (SELECT string_agg(quote_ident(p.part), '.' ORDER BY p.place)
                  FROM string_to_table(e.key, '.') WITH ORDINALITY p (part, place)) AS name
          FROM jsonb_each_text(set_everywhere.settings) e
    LOOP
        EXECUTE format('SET LOCAL %s = %L', setting.name, setting.value);
    END LOOP;
END
$$;
COMMENT ON FUNCTION set_everywhere(jsonb) IS
'Set configuration parameters until the end of the transaction, also on the workers of a distributed collection';
