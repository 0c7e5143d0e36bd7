-- pg_textsearch_elsewhere: true, because there is no other server. cluster/pg_textsearch_elsewhere.sql is for several.
CREATE OR REPLACE FUNCTION pg_textsearch_elsewhere()
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN true;
COMMENT ON FUNCTION pg_textsearch_elsewhere() IS 'True if all other servers of the collection have pg_textsearch';
