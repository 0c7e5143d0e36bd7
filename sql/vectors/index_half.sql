-- index_half: true if a vector index is built in half precision unless asked otherwise: above a million vectors, if
-- the kind of index and the type of the vectors allow a choice. On ACM-CR's abstracts, the nearest 10 vectors in half
-- precision were those in full precision, and .9996 of the nearest 100; searches order the found ones exactly (knn).
CREATE OR REPLACE FUNCTION index_half(rows bigint, kind text, storage text)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rows > 1000000 AND kind <> 'diskann' AND storage = 'vector';
COMMENT ON FUNCTION index_half(bigint, text, text) IS
'True if a vector index is built in half precision unless asked otherwise: above a million vectors';
