-- parse_query: a query as people type it as a tsquery, by the text search configuration of the text index: all words,
-- and what its operators ask for (docs/queries.md). A long question is not relaxed here, since a tsquery cannot say
-- "some of": see boolean_search. Anything is a query: nothing raises.
--
--   parse_query('+privacy "machine learning" comput* title:survey OR title:review -blockchain')
CREATE OR REPLACE FUNCTION parse_query(query text)
RETURNS tsquery
LANGUAGE sql STABLE
RETURN (SELECT r.required && r.plain FROM read_query(query) r);
COMMENT ON FUNCTION parse_query(text) IS
'A typed query as a tsquery of the text index''s configuration: phrases, signs, OR, prefixes, fields';
