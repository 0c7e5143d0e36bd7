-- answer_query_key: key of a query within one split of a data set.
-- Raises IR103 no such query, and suggests the nearest text.
CREATE OR REPLACE FUNCTION answer_query_key(set_id integer, query text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer := (SELECT q.id FROM answer_queries q
                          WHERE q.set = answer_query_key.set_id AND q.text = answer_query_key.query COLLATE "C");
BEGIN
    IF found_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('the data set has no query %L', answer_query_key.query), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(answer_query_key.query, ARRAY(
                SELECT q.text FROM answer_queries q WHERE q.set = answer_query_key.set_id))) || '? ',
            'Give the full text of the query.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION answer_query_key(integer, text) IS
    'The key of a query within one split of a data set, by its full text';
