-- bm25_score: the BM25 score of one text: the sum over terms of weight · tf / (tf + norm), rounded to float4. weights
-- include idf and the factor k1 + 1, norm is k1 · (1 − b + b · length / average); see bm25_weighted.
CREATE OR REPLACE FUNCTION bm25_score(
    tsv tsvector, terms tsquery[], weights double precision[], norm double precision
)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT sum(f.weight * f.tf / (f.tf + bm25_score.norm))::real::double precision
          FROM (SELECT w.weight, term_frequency(bm25_score.tsv, w.term)::double precision AS tf
                  FROM unnest(bm25_score.terms, bm25_score.weights) w (term, weight)
                OFFSET 0) f  -- computes each frequency once
         WHERE f.tf > 0);
COMMENT ON FUNCTION bm25_score(tsvector, tsquery[], double precision[], double precision) IS
'BM25 score of one text, for terms with weights';
