-- filter_while_scoring: true if bm25_weighted checks a filter while it scores documents: never on one server, where
-- searches find the documents first (filter_docs). cluster/filter_while_scoring.sql is for several servers.
CREATE OR REPLACE FUNCTION filter_while_scoring(filter jsonb)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN false;
COMMENT ON FUNCTION filter_while_scoring(jsonb) IS
'True if bm25_weighted can check the filter while it scores documents';
