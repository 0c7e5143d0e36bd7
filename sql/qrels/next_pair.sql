-- next_pair: the next two documents that an annotator should compare, in the first query of the sheet whose order is
-- not complete; no row if all are. Only for one query if only_query is given.
--
-- The document to insert stays on its side while its place is searched, so that the annotator reads one new document
-- per pair. The side is drawn from its token, and therefore says nothing about the documents.
--
-- passed: queries to skip, because another page of the annotator shows them. query_set: only queries of this set
-- (query_set).
-- Raises IR103 no such query on the sheet, or the pool has no query of the set, IR110 no such pool, IR202 the pool is
-- not shared with the annotator.
CREATE OR REPLACE FUNCTION next_pair(pool text, annotator text, only_query text DEFAULT NULL,
                                     passed text[] DEFAULT '{}', query_set text DEFAULT 'all')
RETURNS TABLE (query text, number bigint, left_token text, right_token text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    at record;
BEGIN
    PERFORM pool_of_set(next_pair.pool, next_pair.query_set);
    FOR at IN
        SELECT q.query AS name, s.query, s.compared, s.doc, s.other
          FROM pair_states(next_pair.pool, next_pair.annotator, next_pair.only_query, next_pair.query_set) s
          JOIN st1_queries q ON q.id = s.query
         ORDER BY s.number
    LOOP
        CONTINUE WHEN at.doc IS NULL OR at.name = ANY (coalesce(next_pair.passed, '{}'));
        RETURN QUERY
        SELECT at.name, at.compared + 1, min(s.token) FILTER (WHERE (s.doc = at.doc) = t.is_left),
               min(s.token) FILTER (WHERE (s.doc = at.doc) <> t.is_left)
          FROM pool_share(next_pair.pool, next_pair.annotator, at.query) s
         CROSS JOIN LATERAL (
               SELECT get_byte(decode(md5(concat('side:', n.token, next_pair.annotator)), 'hex'), 0) % 2 = 0 AS is_left
                 FROM pool_share(next_pair.pool, next_pair.annotator, at.query) n WHERE n.doc = at.doc) t
         WHERE s.doc IN (at.doc, at.other);
        RETURN;
    END LOOP;
    IF NOT FOUND AND next_pair.only_query IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('no query %L on the sheet of %s', next_pair.only_query, next_pair.annotator),
            HINT = 'stc.sheet_queries(pool, annotator) lists its queries.';
    END IF;
END
$$;
COMMENT ON FUNCTION next_pair(text, text, text, text[], text) IS
    'The next two documents an annotator should compare, of one query or all; no row if there are none';
