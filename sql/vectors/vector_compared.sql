-- vector_compared: the SQL expression of a query's vector as it is compared with the vectors of a model: itself, or as
-- sparsevec. query: a parameter, as SQL.
CREATE OR REPLACE FUNCTION vector_compared(query text, space vector_models)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE (space).storage WHEN 'sparsevec' THEN format('sparse_vector(%s, %s)', query, (space).dim) ELSE query END;
COMMENT ON FUNCTION vector_compared(text, vector_models) IS
'SQL expression of a query''s vector as it is compared with the vectors of a model';
