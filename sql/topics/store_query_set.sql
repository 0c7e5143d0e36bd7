-- store_query_set: store a set of queries under a name, or change the one that has the name. Returns its number of
-- queries.
--
-- The expression is stored and evaluated when the set is used: it includes queries that are loaded later. description
-- NULL keeps the stored one.
-- Raises IR103, IR202 (query_set) the expression is not a set, IR202 a name that cannot be used: it already names
-- queries, or it is not a word, IR410 a role without the right to store sets.
CREATE OR REPLACE FUNCTION store_query_set(
    name text, expression text, description text DEFAULT NULL, OUT queries bigint, OUT replaced boolean)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    fault CONSTANT text := CASE
        WHEN NOT is_name(store_query_set.name) OR store_query_set.name ~ '[,+"@*:\s]'
            THEN 'Use a word without blanks and , + " @ * :'
        WHEN store_query_set.name = ANY (query_types() || '{all,human,synthetic}'::text[])
             OR EXISTS (SELECT FROM st1_queries q
                         WHERE store_query_set.name COLLATE "C" IN (q.query, q.origin))
            THEN 'It already names queries.' END;
BEGIN
    IF NOT has_table_privilege('query_sets', 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('%s may not store sets of queries', current_user),
            HINT = 'Connect as the owner or an organiser.';
    ELSIF fault IS NOT NULL OR store_query_set.name IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s cannot be the name of a set of queries',
                             coalesce(shown_name(store_query_set.name), 'NULL')),
            HINT = coalesce(fault, 'Name the set.');
    END IF;
    PERFORM query_set_ids(store_query_set.expression);
    replaced := EXISTS (SELECT FROM query_sets s WHERE s.name = store_query_set.name COLLATE "C");
    INSERT INTO query_sets AS s (name, expression, description)
    VALUES (store_query_set.name, store_query_set.expression, store_query_set.description)
    ON CONFLICT ON CONSTRAINT query_sets_pkey DO UPDATE
       SET expression = excluded.expression, description = coalesce(excluded.description, s.description);
    queries := cardinality(query_set_ids(store_query_set.name));  -- raises if it contains itself
END
$$;
COMMENT ON FUNCTION store_query_set(text, text, text) IS
'Store a set of queries under a name, or change it; returns its number of queries';
