-- fusion_ranking: the first depth documents of a query by a ranker of hybrid_search, as rows for fuse. The names of the
-- rankers are defined here.
--
-- ranker: the name; label: name of the rows' ranking; query_vector, model: for rankers that use vectors.
-- matching: as returned by filter_matching, for rankers that can use it; NULL if the caller does not know it.
-- Raises the errors of the ranker's function.
CREATE OR REPLACE FUNCTION fusion_ranking(
    ranker text, label text, query text, query_vector vector, depth integer, model text, filter jsonb,
    matching bigint[] DEFAULT NULL
)
RETURNS ranked[]
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN CASE
        WHEN ranker = 'bm25' THEN
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked
                    FROM bm25_among(query, depth, filter, matching => matching) s)
        WHEN ranker = 'boolean' THEN
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked FROM boolean_search(query, depth, filter) s)
        WHEN ranker = 'rm3' THEN
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked FROM rm3_search(query, depth, filter => filter) s)
        WHEN ranker = 'document' THEN
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked
                    FROM dense_document_search(query_vector, depth, model, filter, matching) s)
        WHEN ranker IN ('title', 'abstract', 'content') THEN
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked
                    FROM dense_search(query_vector, depth, ranker, model, filter) s)
        WHEN ranker = 'sparse' THEN
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked
                    FROM sparse_search(query_vector, depth, model, filter) s)
        ELSE  -- a system that users added
            ARRAY(SELECT (label, s.doc, s.score, s.rank)::ranked
                    FROM own_search(ranker, query, depth, query_vector, filter, model) s)
    END;
END
$$;
COMMENT ON FUNCTION fusion_ranking(text, text, text, vector, integer, text, jsonb, bigint[]) IS
'First documents of a query by a ranker of hybrid_search, as rows for fuse';
