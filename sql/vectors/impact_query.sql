-- impact_query: the vector of a query by a sparse model as a text for pg_textsearch (impact_text): its strongest terms,
-- each repeated up to 16 times in proportion to its weight.
--
-- pg_textsearch multiplies by the inverse document frequency of a word, which an inner product does not: the weight is
-- divided by it. idf: by term (impact_statistics); a term beyond the array is as rare as one of no sampled document.
CREATE OR REPLACE FUNCTION impact_query(query vector, terms integer, idf real[] DEFAULT NULL)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH pairs AS (
        SELECT f.flat[i]::integer + 1 AS term, f.flat[i + 1] AS weight
          FROM (SELECT impact_query.query::real[]) f (flat)
         CROSS JOIN LATERAL generate_series(1, cardinality(f.flat), 2) i
         WHERE f.flat[i + 1] > 0
         ORDER BY 2 DESC, 1 LIMIT impact_query.terms),
    shares AS (
        SELECT p.term, p.weight / coalesce(impact_query.idf[p.term], 10) AS share FROM pairs p)
    SELECT coalesce(string_agg(repeat(impact_word(s.term::text), greatest(1, round(16 * s.share / s.highest))::integer),
                               ''), '')
      FROM (SELECT s.term, s.share, max(s.share) OVER () AS highest FROM shares s ORDER BY s.share DESC, s.term) s
$$;
COMMENT ON FUNCTION impact_query(vector, integer, real[]) IS
'The vector of a query by a sparse model as text for pg_textsearch: its strongest terms';
