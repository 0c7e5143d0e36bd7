-- impact_text: a sparse vector as a text for pg_textsearch, whose scores are then about those of inner products. Each
-- term is a word, its number in letters (impact_word), repeated as often as its weight says.
--
-- With b = 0 and k1 = 10, BM25 scores a word of frequency f by 11 f / (10 + f). The frequency of a weight w is the
-- one whose score s is about scale · w, at most 8: f = 10 s / (11 - s), rounded. Terms of frequency 0 are omitted.
-- Impacts as frequencies: Anh & Moffat, SIGIR 2005; Mackenzie, Trotman & Lin, arXiv 2110.11540.
CREATE OR REPLACE FUNCTION impact_text(weights sparsevec, scale real)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT coalesce(string_agg(repeat(impact_word(split_part(p.pair, ':', 1)),
                                      round(10 * s.score / (11 - s.score))::integer), ''), '')
      FROM string_to_table(nullif(trim('{' FROM split_part(weights::text, '}', 1)), ''), ',') p (pair)
     CROSS JOIN LATERAL (SELECT least(8, scale * split_part(p.pair, ':', 2)::real)) s (score)
$$;
COMMENT ON FUNCTION impact_text(sparsevec, real) IS
'A sparse vector as text for pg_textsearch: each term is a word, repeated as its weight says';
