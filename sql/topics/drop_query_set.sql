-- drop_query_set: remove a stored set of queries. Its queries stay.
-- Raises IR103 no such set, IR410 a role without the right to remove sets.
CREATE OR REPLACE FUNCTION drop_query_set(name text) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM check_removal('query_sets', 'DELETE', 'sets of queries');
    DELETE FROM query_sets s WHERE s.name = drop_query_set.name COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('there is no stored set of queries %s', shown_name(drop_query_set.name)),
            HINT = concat('Did you mean ' || quote_literal(nearest_name(drop_query_set.name, ARRAY(
                SELECT s.name FROM query_sets s))) || '? ', '''stc show sets'' lists the stored sets.');
    END IF;
END
$$;
COMMENT ON FUNCTION drop_query_set(text) IS 'Remove a stored set of queries; its queries stay';
