-- indexed_vector: the expression that a vector index stores for a vector: itself, in half precision, or the signs of
-- its values, one bit each (binary quantization). vector: a column or parameter, as SQL.
CREATE OR REPLACE FUNCTION indexed_vector(vector text, dim integer, half boolean, bits boolean)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN bits THEN format('binary_quantize(%s)::bit(%s)', vector, dim)
            WHEN half THEN format('%s::halfvec(%s)', vector, dim)
            ELSE vector END;
COMMENT ON FUNCTION indexed_vector(text, integer, boolean, boolean) IS
'SQL expression that a vector index stores for a vector: full precision, half precision or bits';
