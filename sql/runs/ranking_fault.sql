-- ranking_fault: why a row of st1_rankings cannot be stored: the column that is NULL, or the constraint that it violates;
-- NULL if it can. Inlined.
CREATE OR REPLACE FUNCTION ranking_fault(
    run integer, query integer, doc bigint, rank integer, rel_score double precision, comb_score double precision,
    passage text
)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN run IS NULL THEN 'run' WHEN query IS NULL THEN 'query' WHEN doc IS NULL THEN 'doc'
                WHEN rank IS NULL THEN 'rank' WHEN rel_score IS NULL THEN 'rel_score'
                WHEN rank < 1 THEN 'st1_rankings_rank_check'
                WHEN rel_score IN ('NaN', 'Infinity', '-Infinity') THEN 'st1_rankings_rel_score_finite_check'
                WHEN comb_score IN ('NaN', 'Infinity', '-Infinity') THEN 'st1_rankings_comb_score_finite_check'
                WHEN octet_length(passage) > 16777216 THEN 'st1_rankings_passage_size_check' END
$$;
COMMENT ON FUNCTION ranking_fault(integer, integer, bigint, integer, double precision, double precision, text) IS
    'Why a row of st1_rankings cannot be stored: a column that is NULL or a violated constraint';
