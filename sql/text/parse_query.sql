-- parse_query: convert a typed query to a tsquery of the text index's configuration.
--
-- All words are required, and operators apply as docs/howto/search.md describes. Long questions are not relaxed here,
-- because a tsquery cannot express "some of": see boolean_search. Every text is a valid query. Raises IR401 as
-- read_query.
--
--   parse_query('+privacy "machine learning" comput* title:survey OR title:review -blockchain')
--
-- IMMUTABLE although it reads the configuration, so that a condition tsv @@ parse_query('…') is parsed once, when it is
-- planned, and not for each row. A cached plan stays valid: the configuration only changes with a rewrite of
-- dblp_text.tsv (index_text), after which PostgreSQL plans all statements on that table again. The cost makes the
-- planner prefer the index if the query is not a constant.
CREATE OR REPLACE FUNCTION parse_query(query text)
RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN (SELECT r.required && r.plain FROM read_query(query) r);
COMMENT ON FUNCTION parse_query(text) IS 'Convert a typed query to a tsquery: phrases, + and -, OR, prefixes, fields';
