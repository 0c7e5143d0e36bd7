-- query_set_ids: ids of the queries of a set (query_set), each once, in no particular order.
--
-- inside: the stored sets that are being evaluated, the outermost first. The last term that names a query decides
-- whether the set contains it: this is the same as adding and removing from left to right.
-- Raises IR103 a term or the whole set names no query, IR202 the expression is not complete, or a stored set contains
-- itself.
CREATE OR REPLACE FUNCTION query_set_ids(spec text, inside text[] DEFAULT '{}') RETURNS integer[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found CONSTANT integer[] := ARRAY(
        SELECT m.id
          FROM query_terms(query_set_ids.spec) WITH ORDINALITY AS t (sign, term, ids, expression, place)
         CROSS JOIN unnest(CASE WHEN t.expression IS NULL THEN t.ids
                                WHEN t.term <> ALL (query_set_ids.inside)
                                    THEN query_set_ids(t.expression, query_set_ids.inside || t.term)
                                ELSE '{NULL}' END) AS m (id)
         GROUP BY m.id
        HAVING (array_agg(t.sign ORDER BY t.place DESC))[1] = '+' OR m.id IS NULL);
BEGIN
    IF array_position(found, NULL) IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the set %s contains itself', shown_name(query_set_ids.inside[1])),
            HINT = 'Change its expression with ''stc topics set''.';
    ELSIF found = '{}' AND query_set_ids.spec IS DISTINCT FROM 'all' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('the set %s contains no query', shown_name(query_set_ids.spec)),
            HINT = 'Its last terms remove all queries of the first ones. Remove fewer.';
    END IF;
    RETURN found;
END
$$;
COMMENT ON FUNCTION query_set_ids(text, text[]) IS 'Ids of the queries of a set, in no particular order';
