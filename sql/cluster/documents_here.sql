-- documents_here: false, because documents are on several servers, which share each search; the passages of a document
-- are on several of them.
CREATE OR REPLACE FUNCTION documents_here()
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN false;
COMMENT ON FUNCTION documents_here() IS
'True if all documents are on this server, with their passages and vectors';
