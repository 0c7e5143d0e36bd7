-- hybrid_weights: the weights of rankers of hybrid_search by sum that are given none: 1.5 for document, the embeddings
-- of whole documents, and 1 for all others.
--
-- Of the weights 1 to 3 for document, 1.5 had the highest mean gain over the better single ranking on Cranfield, NPL,
-- CACM, ACM-CR and five pairs of runs of TREC DL 2021 (python -m benchmarks quality).
CREATE OR REPLACE FUNCTION hybrid_weights(rankers text[])
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT jsonb_object_agg(r.ranker, CASE split_part(r.ranker, ':', 1) WHEN 'document' THEN 1.5 ELSE 1 END)
      FROM unnest(hybrid_weights.rankers) r (ranker)
$$;
COMMENT ON FUNCTION hybrid_weights(text[]) IS 'Default weights of rankers of hybrid_search';
