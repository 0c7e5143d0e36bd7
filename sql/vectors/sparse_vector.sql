-- sparse_vector: the vector of a query by a sparse model as pgvector's sparsevec, from the form in which queries
-- travel: a vector of pairs, the number of a term (vector_terms) and its weight. query_v stores it, embed_query returns
-- it.
--
--   SELECT sparse_vector('[2,0.5,7,1.25]', 10);   -- {3:0.5,8:1.25}/10: pgvector counts from 1
--
-- A vector cannot have the 30,522 dimensions of a vocabulary, but 8,000 pairs; single precision is exact for numbers up
-- to 2^24. The vector of a query without a term is [0,0].
-- Raises IR202 no pairs, a number of a term that is not below dim, or twice, or a weight below 0.
CREATE OR REPLACE FUNCTION sparse_vector(pairs vector, dim integer)
RETURNS sparsevec
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    flat CONSTANT real[] := pairs::real[];
    n CONSTANT integer := cardinality(flat);
    wrong text;
BEGIN
    SELECT CASE WHEN bool_or(flat[i] <> trunc(flat[i]) OR flat[i] NOT BETWEEN 0 AND dim - 1)
                    THEN format('a term is not a number from 0 to %s', dim - 1)
                WHEN bool_or(flat[i + 1] < 0) THEN format('the weight %s is negative', min(flat[i + 1]))
                WHEN count(DISTINCT flat[i]) < count(*) THEN 'a term occurs twice' END
      INTO wrong FROM generate_series(1, n - n % 2, 2) i;
    IF n % 2 = 1 OR wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = 'this is not the vector of a query by a sparse model: '
                || coalesce(wrong, 'it has ' || counted(n, 'number') || ', not pairs'),
            HINT = 'It has pairs of numbers, a term and its weight: embed_query returns it, and sparse_pairs converts '
                   'a sparsevec.';
    END IF;
    RETURN (SELECT concat('{', string_agg(format('%s:%s', flat[i]::integer + 1, flat[i + 1]), ',' ORDER BY flat[i]),
                          '}/', dim)
              FROM generate_series(1, n, 2) i)::sparsevec;
END
$$;
COMMENT ON FUNCTION sparse_vector(vector, integer) IS
'Vector of a query by a sparse model as sparsevec, from pairs of a term and its weight';
