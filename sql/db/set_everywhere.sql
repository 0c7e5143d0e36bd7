-- set_everywhere: set configuration parameters until the end of the transaction, also on the workers if the collection
-- is distributed. settings: an object of names and values, written by the collection's own functions.
--
-- Citus sends the statement SET LOCAL to workers, but not the effect of set_config.
CREATE OR REPLACE FUNCTION set_everywhere(settings jsonb)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    one record;
    spread CONSTANT boolean := distributed();
BEGIN
    IF spread THEN
        PERFORM set_config('citus.propagate_set_commands', 'local', true);
    END IF;
    FOR one IN
        SELECT e.key, e.value,
               (SELECT string_agg(quote_ident(p.part), '.' ORDER BY p.place)
                  FROM string_to_table(e.key, '.') WITH ORDINALITY p (part, place)) AS name
          FROM jsonb_each_text(set_everywhere.settings) e
    LOOP
        IF spread THEN
            EXECUTE format('SET LOCAL %s = %L', one.name, one.value);
        ELSE
            PERFORM set_config(one.key, one.value, true);
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION set_everywhere(jsonb) IS
'Set configuration parameters until the end of the transaction, also on the workers of a distributed collection';
