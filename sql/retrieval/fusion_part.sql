-- fusion_part: the contribution of a ranking to the fused score of a document that it contains. fuse, hybrid_search,
-- fuse_runs and tune_fusion all sum it.
--
--   rrf       weight / (constant + rank)           (Cormack, Clarke & Büttcher, SIGIR 2009, with the constant 60)
--   sum, mnz  weight · normalised score            (CombSUM and CombMNZ if all weights are 1: Fox & Shaw, TREC-2,
--             1994; the factor of mnz, the number of rankings that contain the document, is applied by the caller)
--   norms     minmax  (score − lowest) / (highest − lowest); 1 if all scores are equal            (Lee, SIGIR 1997)
--             zscore  (score − lowest) / deviation; 1 if all are equal                 (cf. Renda & Straccia, SAC 2003)
--             rank    1 − (rank − 1) / n
--             none    the score unchanged
--
-- lowest, highest, deviation (of the population) and n are computed over the documents of the ranking for the query. A
-- document that a ranking lacks gets 0 from it. For zscore this is the lowest z: (score − mean) / deviation for all
-- documents, with missing ones at the lowest, differs from the above by a constant per query, which does not change the
-- order. If all scores are equal, as for a single document, being found counts as one deviation.
--
-- Written so that PostgreSQL inlines it, and as weight times a value independent of the weight, which tuning computes
-- once.
CREATE OR REPLACE FUNCTION fusion_part(
    method text, norm text, weight double precision, score double precision, rank integer,
    lowest double precision, highest double precision, deviation double precision, n bigint, constant integer
)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN weight * CASE
    WHEN method = 'rrf' THEN 1 / (constant::double precision + rank)
    WHEN norm = 'rank' THEN 1 - (rank - 1) / n::double precision
    WHEN norm = 'none' THEN score
    WHEN norm = 'minmax' THEN CASE WHEN highest > lowest THEN (score - lowest) / (highest - lowest) ELSE 1 END
    WHEN norm = 'zscore' THEN CASE WHEN deviation > 0 THEN (score - lowest) / deviation ELSE 1 END
END;
COMMENT ON FUNCTION fusion_part(
    text, text, double precision, double precision, integer, double precision, double precision, double precision,
    bigint, integer
) IS 'Contribution of a ranking to the fused score of a document that it contains, by rrf, sum or mnz';
