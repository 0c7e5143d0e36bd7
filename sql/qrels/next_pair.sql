-- next_pair: the next two documents that an annotator should compare, in the first query of the sheet whose order is
-- not complete; no row if all are. Only for one query if only_query is given.
--
-- The document to insert stays on its side while its place is searched, so that the annotator reads one new document
-- per pair. The side is drawn from its token, and therefore says nothing about the documents.
--
-- number counts the comparisons of the query, and remaining is the largest number of them that can still be needed.
--
-- passed: queries to skip, because another page of the annotator shows them. query_set: only queries of this set
-- (query_set). near: a query that comes first if its order is not complete, such as that of the last comparison:
-- usually nothing else has to be read.
-- Raises IR103 no such query on the sheet, or the pool has no query of the set, IR110 no such pool, IR202 the pool is
-- not shared with the annotator.
CREATE OR REPLACE FUNCTION next_pair(pool text, annotator text, only_query text DEFAULT NULL,
                                     passed text[] DEFAULT '{}', query_set text DEFAULT 'all', near text DEFAULT NULL)
RETURNS TABLE (query text, number bigint, left_token text, right_token text, remaining bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    chosen integer[] := CASE WHEN next_pair.query_set <> 'all' THEN query_set_ids(next_pair.query_set) END;
    only_id integer := (SELECT q.id FROM st1_queries q WHERE q.query = next_pair.only_query COLLATE "C");
    names text[] := ARRAY(SELECT q.query FROM st1_queries q
                           WHERE q.query = next_pair.near COLLATE "C" AND q.id = coalesce(only_id, q.id)
                             AND (chosen IS NULL OR q.id = ANY (chosen)));
    whole boolean := false;
    name text;
    at record;
BEGIN
    IF next_pair.query_set <> 'all' THEN
        PERFORM pool_of_set(next_pair.pool, next_pair.query_set);
    END IF;
    LOOP
        FOREACH name IN ARRAY names LOOP
            CONTINUE WHEN name = ANY (coalesce(next_pair.passed, '{}'));
            SELECT s.query, s.compared, s.doc, s.other, s.remaining INTO at
              FROM pair_states(next_pair.pool, next_pair.annotator, name) s WHERE s.doc IS NOT NULL;
            CONTINUE WHEN NOT FOUND;
            RETURN QUERY
            WITH document AS (SELECT s.* FROM pool_share(next_pair.pool, next_pair.annotator, at.query) s)
            SELECT name, at.compared + 1, min(s.token) FILTER (WHERE (s.doc = at.doc) = t.is_left),
                   min(s.token) FILTER (WHERE (s.doc = at.doc) <> t.is_left), at.remaining
              FROM document s
             CROSS JOIN LATERAL (
                   SELECT get_byte(decode(md5(concat('side:', n.token, next_pair.annotator)), 'hex'), 0) % 2 = 0
                          AS is_left
                     FROM document n WHERE n.doc = at.doc) t
             WHERE s.doc IN (at.doc, at.other);
            RETURN;
        END LOOP;
        EXIT WHEN whole;
        whole := true;
        names := ARRAY(
            SELECT q.query
              FROM (SELECT DISTINCT s.query FROM share_documents(next_pair.pool, next_pair.annotator, only_id) s) d
              JOIN st1_queries q ON q.id = d.query
              JOIN qrels_pools p ON p.id = pool_key(next_pair.pool)
             WHERE (next_pair.only_query IS NULL OR only_id IS NOT NULL)
               AND (chosen IS NULL OR q.id = ANY (chosen))
             ORDER BY sheet_place(p.params ->> 'seed', next_pair.annotator, q.query), q.query);
    END LOOP;
    IF cardinality(names) = 0 AND next_pair.only_query IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('no query %L on the sheet of %s', next_pair.only_query, next_pair.annotator),
            HINT = 'stc.sheet_queries(pool, annotator) lists its queries.';
    END IF;
END
$$;
COMMENT ON FUNCTION next_pair(text, text, text, text[], text, text) IS
    'The next two documents an annotator should compare, of one query or all; no row if there are none';
