-- coverage_long_queries: the long queries of the collection, whose topics are worth looking for, by name.
--
-- SimpleText names long queries of a topic C1, C2, … (G01.C1): where there are such names, they are the ones. Elsewhere
-- a query is long from 10 words on (runs of letters and digits).
CREATE OR REPLACE FUNCTION coverage_long_queries()
RETURNS TABLE (query text, text text)
LANGUAGE sql STABLE ROWS 10
SET search_path = stc, public, pg_temp
AS $$
    WITH named AS (SELECT q.query, q.text FROM st1_queries q WHERE q.query ~ '\.C\d+$' AND q.text ~ '\S'),
    long AS (SELECT q.query, q.text FROM st1_queries q
              WHERE NOT EXISTS (SELECT FROM named) AND cardinality(plain_words(q.text)) >= 10)
    SELECT u.query, u.text FROM (TABLE named UNION ALL TABLE long) u ORDER BY u.query COLLATE "C"
$$;
COMMENT ON FUNCTION coverage_long_queries() IS
'Long queries: those named as SimpleText names them (G01.C1), or of 10 words and more';
