-- long_queries: the long queries of the collection, by name.
--
-- SimpleText names the long queries of a topic C1, C2, … (G01.C1). If such names exist, those queries are returned;
-- otherwise queries of 10 or more words (sequences of letters and digits).
CREATE OR REPLACE FUNCTION long_queries()
RETURNS TABLE (id integer, query text, text text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH named AS (SELECT q.id, q.query, q.text FROM st1_queries q WHERE q.query ~ '\.C\d+$' AND q.text ~ '\S'),
    long AS (SELECT q.id, q.query, q.text FROM st1_queries q
              WHERE NOT EXISTS (SELECT FROM named) AND cardinality(plain_words(q.text)) >= 10)
    SELECT u.id, u.query, u.text FROM (TABLE named UNION ALL TABLE long) u ORDER BY u.query COLLATE "C"
$$;
COMMENT ON FUNCTION long_queries() IS
    'Long queries: those named in SimpleText''s style (G01.C1), or else those of 10 or more words';
