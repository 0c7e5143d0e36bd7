-- vector_order: the SQL expression by which an index orders vectors, as it was built (indexed_vector). column, query:
-- the vectors to compare, as SQL.
CREATE OR REPLACE FUNCTION vector_order("column" text, query text, dim integer, walked vector_indexes)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT concat_ws(' ', indexed_vector("column", dim, (walked).halfvec, (walked).bits),
                     CASE WHEN (walked).bits THEN '<~>' ELSE '<#>' END,
                     indexed_vector(query, dim, (walked).halfvec, (walked).bits))
$$;
COMMENT ON FUNCTION vector_order(text, text, integer, vector_indexes) IS
'SQL expression by which a vector index orders vectors';
