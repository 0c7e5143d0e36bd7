-- documents_here: true, because all documents are on this server, with their passages and vectors. Searches can join
-- them, and a client can read all vectors in one pass.
CREATE OR REPLACE FUNCTION documents_here()
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN true;
COMMENT ON FUNCTION documents_here() IS
'True if all documents are on this server, with their passages and vectors';
