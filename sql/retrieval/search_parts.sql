-- search_parts: the rank and score of documents in the rankings that a system fuses, and their contributions to the
-- fused score (fusion_part): one row per document and ranking that contains it, largest contribution first.
--
-- system: hybrid, or a fusion with tuned weights (add_fusion); the rankings, depth and fusion are those of
-- system_search. Other systems have no rows.
--
--   SELECT p.* FROM search_parts('fake news', ARRAY(SELECT doc FROM hybrid_search('fake news', 3))) p;
--
-- The sum of added is the document's score. A document in no ranking has no row. query_vector: NULL calls embed_query.
-- depth: NULL is 1,000; smaller values are raised to 1,000.
-- Raises the errors of the rankings, and of own_system.
CREATE OR REPLACE FUNCTION search_parts(
    query text, docs bigint[], query_vector vector DEFAULT NULL, filter jsonb DEFAULT NULL, model text DEFAULT NULL,
    depth integer DEFAULT NULL, system text DEFAULT 'hybrid'
)
RETURNS TABLE (doc bigint, ranking text, rank integer, score double precision, added double precision)
LANGUAGE plpgsql STABLE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    fusion CONSTANT jsonb := system_fusion(search_parts.system);
BEGIN
    IF fusion IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT p.* FROM gathered_parts(
        gathered_rankings(search_parts.query, search_parts.query_vector,
                          ARRAY(SELECT jsonb_object_keys(fusion -> 'weights')), fusion -> 'weights',
                          greatest(search_parts.depth, 1000), search_parts.filter, search_parts.model),
        search_parts.docs, fusion -> 'weights', fusion ->> 'method', fusion ->> 'norm',
        (fusion ->> 'constant')::integer) p;
END
$$;
COMMENT ON FUNCTION search_parts(text, bigint[], vector, jsonb, text, integer, text) IS
'Rank and score of documents in the rankings that a system fuses, and what each adds to the fused score';
