-- vectors_here: true, because this server has all vectors, so that a client can read them in one pass.
CREATE OR REPLACE FUNCTION vectors_here()
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN true;
COMMENT ON FUNCTION vectors_here() IS
'True if this server has all vectors, so that a client can read them in one pass';
