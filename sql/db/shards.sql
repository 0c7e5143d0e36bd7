-- shards: the number of parts of a table, each with a separate index: 1 on one server.
CREATE OR REPLACE FUNCTION shards(relation regclass)
RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
RETURN 1;
COMMENT ON FUNCTION shards(regclass) IS 'Number of parts of a table, each with a separate index';
