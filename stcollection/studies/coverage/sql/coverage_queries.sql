-- coverage_queries: texts of stored queries, in the order of the given names.
--
-- Raises IR103 no such query, IR405 a query without text.
CREATE OR REPLACE FUNCTION coverage_queries(names text[])
RETURNS TABLE (query text, text text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wrong text;
    near text;
BEGIN
    SELECT n.name INTO wrong FROM unnest(coverage_queries.names) WITH ORDINALITY n (name, place)
     WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = n.name COLLATE "C") ORDER BY n.place LIMIT 1;
    IF FOUND THEN
        near := nearest_name(wrong, ARRAY(SELECT q.query FROM st1_queries q));
        RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('no query %L', left(wrong, 80)),
            HINT = coalesce(format('Did you mean %L?', near),
                            'Load queries with ''stc load --as topics'', or use --text for any text.');
    END IF;
    SELECT n.name INTO wrong FROM unnest(coverage_queries.names) n (name)
      JOIN st1_queries q ON q.query = n.name COLLATE "C"
     WHERE (q.text ~ '\S') IS NOT TRUE LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('query %s has no text', wrong),
            HINT = 'It is known only from judgments or runs. Load its topics.';
    END IF;
    RETURN QUERY
    SELECT q.query, q.text FROM unnest(coverage_queries.names) WITH ORDINALITY n (name, place)
      JOIN st1_queries q ON q.query = n.name COLLATE "C" ORDER BY n.place;
END
$$;
COMMENT ON FUNCTION coverage_queries(text[]) IS 'Texts of stored queries, in the order of the given names';
