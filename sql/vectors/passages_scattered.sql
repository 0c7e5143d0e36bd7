-- passages_scattered: false, because all passages are on one server; true in cluster/passages_scattered.sql.
CREATE OR REPLACE FUNCTION passages_scattered()
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN false;
COMMENT ON FUNCTION passages_scattered() IS 'True if passages are not on the server of their document';
