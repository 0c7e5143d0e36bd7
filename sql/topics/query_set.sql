-- query_set: the queries of a set, by name. A set is an expression of terms:
--
--   G01.1              a query, by name; the name of a query takes precedence
--   hard               a stored set (stc topics set), evaluated when it is used
--   all                all queries; empty in a collection without queries
--   origin:t5          queries of an origin; also t5 alone, if nothing above has this name. synthetic: all but human
--   type:keyword       queries of a form (query_type), or type:long (long_queries); also keyword and long alone
--   topic:G*           queries of a topic
--   G01.C*             queries whose names match; * matches any characters, also after origin:, type: and topic:
--
--   a,b  a+b  a-b      queries of both, or of a without those of b, from left to right. A comma repeats the operator
--                      before it: all-a,b is all-a-b
--   "a-b"              a name with quotes, commas or operators; "" is a quotation mark. Without quotes, the
--                      longest existing name is taken: gpt-4-keyword is gpt-4 without keyword
--
-- Raises IR103 a term or the whole set names no query, IR202 the expression is not complete, or a stored set contains
-- itself.
CREATE OR REPLACE FUNCTION public.query_set(spec text) RETURNS TABLE (id integer, query text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.id, q.query FROM st1_queries q
     WHERE q.id IN (SELECT unnest(query_set_ids(query_set.spec))) ORDER BY q.query COLLATE "C"
$$;
COMMENT ON FUNCTION public.query_set(text) IS
    'Queries of a set: names, a stored set, all, origin:t5, type:long, topic:G*, combined with + and -';
