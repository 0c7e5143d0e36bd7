-- half_precision: true if this many vectors are stored or indexed in half precision by default: more than a million. On
-- ACM-CR's abstracts, the nearest 10 vectors in half precision were those in full precision, and .9996 of the nearest
-- 100.
CREATE OR REPLACE FUNCTION half_precision(rows bigint)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rows > 1000000;
COMMENT ON FUNCTION half_precision(bigint) IS
'True if this many vectors are stored or indexed in half precision by default: more than a million';
