-- query_key: the key of a query by its name.
--
-- Raises IR103 no such query, and suggests the nearest name.
CREATE OR REPLACE FUNCTION query_key(query text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer;
BEGIN
    SELECT q.id INTO found_id FROM st1_queries q WHERE q.query = query_key.query COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('there is no query %L', query_key.query),
            HINT = concat('Did you mean '
                          || quote_literal(nearest_name(query_key.query,
                                                        ARRAY(SELECT q.query FROM st1_queries q))) || '? ',
                          'The table st1_queries lists all queries.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION query_key(text) IS 'The key of a query by its name; raises IR103 if there is no such query';
