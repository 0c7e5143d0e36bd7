-- parse_query: convert a typed query to a tsquery of the text index's configuration.
--
-- All words are required, and operators apply as docs/howto/search.md describes. Long questions are not relaxed here,
-- because a tsquery cannot express "some of": see boolean_search. Every text is a valid query. Raises IR401 as
-- read_query.
--
--   parse_query('+privacy "machine learning" comput* title:survey OR title:review -blockchain')
CREATE OR REPLACE FUNCTION parse_query(query text)
RETURNS tsquery
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.required && r.plain FROM read_query(query) r);
COMMENT ON FUNCTION parse_query(text) IS 'Convert a typed query to a tsquery: phrases, + and -, OR, prefixes, fields';
