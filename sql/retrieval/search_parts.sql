-- search_parts: the rank and score of documents in the rankings that hybrid_search fuses, and their contributions to
-- the fused score (fusion_part): one row per document and ranking that contains it, largest contribution first.
--
-- The rankings, depth and fusion are those of system_search for hybrid: BM25 and the embeddings of documents, 1,000
-- deep, sum of z-scores.
--
--   SELECT p.* FROM search_parts('fake news', ARRAY(SELECT doc FROM hybrid_search('fake news', 3))) p;
--
-- The sum of added is the document's score in hybrid_search. A document in no ranking has no row. query_vector: NULL
-- calls embed_query. depth: NULL is 1,000; smaller values are raised to 1,000.
-- Raises the errors of the rankings.
CREATE OR REPLACE FUNCTION search_parts(
    query text, docs bigint[], query_vector vector DEFAULT NULL, filter jsonb DEFAULT NULL, model text DEFAULT NULL,
    depth integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, ranking text, rank integer, score double precision, added double precision)
LANGUAGE plpgsql STABLE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    gathered CONSTANT ranked[] := gathered_rankings(
        search_parts.query, search_parts.query_vector, search_parts.filter, search_parts.model, search_parts.depth);
BEGIN
    RETURN QUERY SELECT p.* FROM gathered_parts(gathered, search_parts.docs) p;
END
$$;
COMMENT ON FUNCTION search_parts(text, bigint[], vector, jsonb, text, integer) IS
'Rank and score of documents in the rankings that hybrid fuses, and what each adds to the fused score';
