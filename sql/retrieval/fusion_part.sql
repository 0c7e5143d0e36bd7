-- fusion_part: what a ranking adds to the score of a document that it holds. The one definition of fusion: fuse,
-- hybrid_search, fuse_runs and tune_fusion all sum it.
--
--   rrf       weight / (constant + rank)           (Cormack, Clarke & Büttcher, SIGIR 2009, who take the constant 60)
--   sum, mnz  weight · normed score                (CombSUM and CombMNZ where all weights are 1: Fox & Shaw, TREC-2,
--             1994; the factor of mnz, how many rankings hold the document, is the caller's)
--   norms     minmax  (score − lowest) / (highest − lowest); 1 where all scores are equal         (Lee, SIGIR 1997)
--             zscore  (score − lowest) / deviation; 1 where all are equal              (cf. Renda & Straccia, SAC 2003)
--             rank    1 − (rank − 1) / n
--             none    the score itself
--
-- lowest, highest, deviation (of the population) and n are those of the ranking for the query, of the documents that it
-- holds. What it does not hold gets nothing from it: 0. By zscore that is its lowest z: (score − mean) / deviation for
-- all documents, the missing ones with the lowest, differs from the above by a constant for each query, which changes
-- no order; but where all scores are equal, as those of a single document found, being found counts as one deviation.
--
-- Written so that it is inlined, and as weight times what does not depend on the weight: so that tuning can form that
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
) IS
'What a ranking adds to the fused score of a document that it holds, by rrf, sum or mnz';
