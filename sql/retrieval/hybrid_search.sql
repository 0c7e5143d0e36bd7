-- hybrid_search: fuse several rankings of one query: by default the weighted sum of the z-scores of BM25 and of
-- embeddings.
--
--   score(doc) = sum of weight · (score − lowest) / deviation over the rankers that found the document
--                (fusion_part; cf. Renda & Straccia, SAC 2003)
--
-- By default document weighs 1.5 and others 1 (hybrid_weights). On Cranfield, NPL, CACM and ACM-CR's contexts this was
-- better than the better single ranking (docs/howto/improve-rankings.md has the figures). The default before 0.3 was
-- weights => '{"bm25": 1, "document": 1}'.
--
-- rankers: any of bm25, boolean, rm3, title, abstract and content (dense_search on that field) and document
-- (dense_document_search), sparse (sparse_search), or a system that users added (add_system). Each contributes its
-- first depth documents that match the filter. A ranker that uses vectors can name its model: title:mpnet.
-- model: the model of rankers that name none; NULL is the default model. query_vector: the query's embedding by that
-- model; NULL, and rankers that name another model, call embed_query. Only the given rankers run.
-- method, norm, weights: as for fuse; weights by ranker, as given: {"bm25": 1, "title:mpnet": 2}. NULL is the
-- default above for the method sum, else 1 for each. A ranker with weight 0 does not run.
--
-- Ordered by score descending, equal scores by docno descending as bytes.
-- Raises IR107 no such ranker, IR105 no such model, IR201 k or depth below 1, IR202 no ranker, method, norm, weights or
-- constant (see fuse), and the errors of the rankers: IR401 and IR402 the text index, IR405 no vector of the query or
-- of any document.
CREATE OR REPLACE FUNCTION public.hybrid_search(
    query text, k integer DEFAULT 100, query_vector vector DEFAULT NULL, rankers text[] DEFAULT '{bm25,document}',
    depth integer DEFAULT 1000, constant integer DEFAULT 60, filter jsonb DEFAULT NULL, model text DEFAULT NULL,
    method text DEFAULT 'sum', norm text DEFAULT 'zscore', weights jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    by_ranker CONSTANT jsonb := coalesce(
        hybrid_search.weights,
        CASE hybrid_search.method WHEN 'sum' THEN hybrid_weights(array_remove(hybrid_search.rankers, NULL)) END);
BEGIN
    IF hybrid_search.k IS NULL OR hybrid_search.k < 1 OR hybrid_search.depth IS NULL OR hybrid_search.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s, depth is %s', coalesce(hybrid_search.k::text, 'NULL'),
                             coalesce(hybrid_search.depth::text, 'NULL')),
            HINT = 'Both must be 1 or more.';
    END IF;
    PERFORM fusion_check(hybrid_search.method, hybrid_search.norm, hybrid_search.constant);
    RETURN QUERY SELECT f.doc, f.score, f.rank
                   FROM fuse(gathered_rankings(hybrid_search.query, hybrid_search.query_vector, hybrid_search.rankers,
                                               by_ranker, hybrid_search.depth, hybrid_search.filter,
                                               hybrid_search.model),
                             hybrid_search.k, hybrid_search.method, hybrid_search.norm, by_ranker,
                             hybrid_search.constant) f;
END
$$;
COMMENT ON FUNCTION public.hybrid_search(text, integer, vector, text[], integer, integer, jsonb, text, text,
                                         text, jsonb) IS
'Fusion of lexical and dense rankings of a query: sum of normalised scores, or reciprocal ranks';
