-- bm25_weighted: BM25 with weighted words, the common part of bm25_portable and rm3_search.
--
--   score(d)  = sum over words w of  weight(w) · idf(w) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average))
--
-- idf, length and average as in bm25_portable. lexemes and weights are parallel; a lexeme is a word as stored in the
-- text index, and lexemes without documents add nothing.
--
-- The GIN index serves as the inverted file, with one lookup per word; k1 and b are those of the text index. live
-- computes N, lengths and df from the current rows, for a stale or missing text index: exact but slow.
--
-- docs: score only these documents, with the statistics of all. NULL is all documents. filter: a filter that is checked
-- during the scoring (filter_while_scoring), instead of docs.
--
-- Scores are rounded to float4, as in pg_textsearch and trec_eval, so that sums that differ only by their order are
-- equal. The top k are exact, equal scores by docno descending ("C"), also at rank k. Raises IR201 k below 1.
CREATE OR REPLACE FUNCTION bm25_weighted(
    lexemes text[], weights double precision[], k integer DEFAULT 100, live boolean DEFAULT false,
    docs bigint[] DEFAULT NULL, filter jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = on  -- bm25_search or the session may have turned it off
SET jit = off  -- compiling takes longer than most queries
SET plan_cache_mode = force_custom_plan  -- the plan depends on the arguments: live or not, some or all documents
AS $$
DECLARE
    state text_index;
BEGIN
    PERFORM check_k(bm25_weighted.k);
    SELECT * INTO state FROM text_index;
    state.k1 := coalesce(state.k1, 1.2);
    state.b := coalesce(state.b, 0.75);
    IF bm25_weighted.live THEN
        -- EXECUTE … INTO can use workers; SELECT … INTO cannot.
        EXECUTE 'SELECT count(*) FILTER (WHERE n > 0), sum(n) FROM (SELECT text_length(t.tsv) AS n FROM dblp_text t) s'
           INTO state.documents, state.tokens;
    END IF;
    state.tokens := nullif(state.tokens, 0);  -- 0: all texts consist of stop words
    RETURN QUERY SELECT * FROM bm25_scored(bm25_weighted.lexemes, bm25_weighted.weights, bm25_weighted.k,
                                           bm25_weighted.live, bm25_weighted.docs, state, bm25_weighted.filter);
END
$$;
COMMENT ON FUNCTION bm25_weighted(text[], double precision[], integer, boolean, bigint[], jsonb) IS
'BM25 with weighted words, without an extension: exact top k, for any state of the text index';
