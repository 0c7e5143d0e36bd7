-- vector_fetched: number of candidates to read from an index for the nearest k, because it stores less than the table
-- or orders them roughly: 500 + 20 k from bits, k + k/10 + 10 from half precision of full vectors, 3 k from diskann,
-- 8 k with a filter.
CREATE OR REPLACE FUNCTION vector_fetched(walked vector_indexes, storage text, k integer, filtered boolean)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(2147483647, CASE WHEN (walked).kind = 'diskann' THEN k::bigint * CASE WHEN filtered THEN 8 ELSE 3 END
                              WHEN (walked).bits THEN 500 + 20 * k::bigint
                              WHEN (walked).halfvec AND storage = 'vector' THEN k::bigint + 10 + k / 10
                              ELSE k END)::integer;
COMMENT ON FUNCTION vector_fetched(vector_indexes, text, integer, boolean) IS
'Number of candidates to read from a vector index for the nearest k';
