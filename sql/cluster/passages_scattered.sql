-- passages_scattered: true, because the passages of a document are on several shards, and not on that of the document.
CREATE OR REPLACE FUNCTION passages_scattered()
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN true;
COMMENT ON FUNCTION passages_scattered() IS 'True if passages are not on the server of their document';
