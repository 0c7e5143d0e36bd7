-- gathered_rankings: the rankings that system_search fuses for hybrid, BM25 and the embeddings of documents, as rows
-- for fuse.
--
-- query_vector: NULL calls embed_query. depth: of each ranking; NULL is 1,000, and smaller values are raised to 1,000.
-- Part of search_parts and hybrid_explained. Raises the errors of the rankings.
CREATE OR REPLACE FUNCTION gathered_rankings(
    query text, query_vector vector DEFAULT NULL, filter jsonb DEFAULT NULL, model text DEFAULT NULL,
    depth integer DEFAULT NULL
)
RETURNS ranked[]
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    deep CONSTANT integer := greatest(gathered_rankings.depth, 1000);
    known CONSTANT text := (vector_model(gathered_rankings.model)).model;
    asked CONSTANT vector := coalesce(gathered_rankings.query_vector, embed_query(gathered_rankings.query, known));
    matching CONSTANT bigint[] := filter_matching(gathered_rankings.filter, deep);
BEGIN
    RETURN fusion_ranking('bm25', 'bm25', gathered_rankings.query, asked, deep, known, gathered_rankings.filter,
                          matching)
        || fusion_ranking('document', 'document', gathered_rankings.query, asked, deep, known, gathered_rankings.filter,
                          matching);
END
$$;
COMMENT ON FUNCTION gathered_rankings(text, vector, jsonb, text, integer) IS
'Rankings that hybrid fuses, as rows for fuse';
