-- filter_of_facts: true if the condition of a filter (filter_condition) reads only the row d of dblp_facts, so that a
-- shard can check it beside any other row of the document.
CREATE OR REPLACE FUNCTION filter_of_facts(condition text)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN strpos(condition, ' FROM ') = 0;
COMMENT ON FUNCTION filter_of_facts(text) IS 'True if a filter''s condition reads no other table than dblp_facts';
