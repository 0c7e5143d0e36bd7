-- bm25_score: the BM25 score of one text: the sum over terms of weight · tf / (tf + norm), rounded to float4. weights
-- include idf and the factor k1 + 1, norm is k1 · (1 − b + b · length / average); see bm25_weighted.
--
-- PL/pgSQL, because PostgreSQL would plan the subquery of an SQL function again for each text.
CREATE OR REPLACE FUNCTION bm25_score(
    tsv tsvector, terms tsquery[], weights double precision[], norm double precision
)
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    tf double precision;
    total double precision := 0;
BEGIN
    FOR i IN 1 .. cardinality(terms) LOOP
        CONTINUE WHEN NOT tsv @@ terms[i];
        tf := term_frequency(tsv, terms[i]);
        total := total + weights[i] * tf / (tf + norm);
    END LOOP;
    RETURN total::real;
END
$$;
COMMENT ON FUNCTION bm25_score(tsvector, tsquery[], double precision[], double precision) IS
'BM25 score of one text, for terms with weights';
