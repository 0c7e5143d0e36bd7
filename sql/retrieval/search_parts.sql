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
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    deep CONSTANT integer := greatest(search_parts.depth, 1000);
    known CONSTANT text := (vector_model(search_parts.model)).model;
    asked CONSTANT vector := coalesce(search_parts.query_vector, embed_query(search_parts.query, known));
    matching CONSTANT bigint[] := filter_matching(search_parts.filter, deep);
    gathered CONSTANT ranked[] :=
        fusion_ranking('bm25', 'bm25', search_parts.query, asked, deep, known, search_parts.filter, matching)
        || fusion_ranking('document', 'document', search_parts.query, asked, deep, known, search_parts.filter,
                          matching);
BEGIN
    RETURN QUERY
    WITH given AS (
        SELECT r.ranking, min(r.score) AS lowest, max(r.score) AS highest, stddev_pop(r.score) AS deviation,
               count(*) AS n
          FROM unnest(gathered) r GROUP BY r.ranking)
    SELECT r.doc, r.ranking, r.rank, r.score,
           fusion_part('sum', 'zscore', 1, r.score, r.rank, g.lowest, g.highest, g.deviation, g.n, 60)
      FROM unnest(gathered) r JOIN given g USING (ranking)
     WHERE r.doc = ANY (search_parts.docs)
     ORDER BY r.doc, 5 DESC, r.ranking;
END
$$;
COMMENT ON FUNCTION search_parts(text, bigint[], vector, jsonb, text, integer) IS
'Rank and score of documents in the rankings that hybrid fuses, and what each adds to the fused score';
