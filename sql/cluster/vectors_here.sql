-- vectors_here: false, because the vectors are on several servers, which share each search.
CREATE OR REPLACE FUNCTION vectors_here()
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN false;
COMMENT ON FUNCTION vectors_here() IS
'True if this server has all vectors, so that a client can read them in one pass';
