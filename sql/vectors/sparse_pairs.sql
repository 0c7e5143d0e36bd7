-- sparse_pairs: a sparsevec as pairs of the number of a term, from 0, and its weight: the form in which the vectors of
-- queries travel (sparse_vector).
--
--   SELECT * FROM sparse_search(sparse_pairs('{3:0.5,8:1.25}/30522'), 10);
CREATE OR REPLACE FUNCTION sparse_pairs(sparse sparsevec)
RETURNS vector
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT coalesce(array_agg(n.number ORDER BY p.place, n.first DESC), '{0,0}')::vector
      FROM string_to_table(nullif(trim('{' FROM split_part(sparse::text, '}', 1)), ''), ',')
           WITH ORDINALITY p (pair, place)
     CROSS JOIN LATERAL (VALUES (split_part(p.pair, ':', 1)::real - 1, true), (split_part(p.pair, ':', 2)::real, false))
           AS n (number, first)
$$;
COMMENT ON FUNCTION sparse_pairs(sparsevec) IS
'A sparsevec as pairs of a term and its weight, the form of query vectors';
