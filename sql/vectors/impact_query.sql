-- impact_query: the vector of a query by a sparse model as a text for pg_textsearch (impact_text): its strongest terms,
-- each repeated up to 8 times in proportion to its weight.
--
-- pg_textsearch multiplies by the inverse document frequency of a word, which an inner product does not. Therefore, and
-- because of the rounding, impact_candidates reads more candidates than are returned.
CREATE OR REPLACE FUNCTION impact_query(query vector, terms integer)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH pairs AS (
        SELECT f.flat[i]::integer + 1 AS term, f.flat[i + 1] AS weight, max(f.flat[i + 1]) OVER () AS highest
          FROM (SELECT impact_query.query::real[]) f (flat)
         CROSS JOIN LATERAL generate_series(1, cardinality(f.flat), 2) i
         WHERE f.flat[i + 1] > 0
         ORDER BY 2 DESC, 1 LIMIT impact_query.terms)
    SELECT coalesce(string_agg(repeat(impact_word(p.term::text), greatest(1, round(8 * p.weight / p.highest))::integer),
                               ''), '')
      FROM pairs p
$$;
COMMENT ON FUNCTION impact_query(vector, integer) IS
'The vector of a query by a sparse model as text for pg_textsearch: its strongest terms';
