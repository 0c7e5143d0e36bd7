-- rm3_search: the k documents with the highest BM25 scores for a query expanded by RM3 (rm3_terms, which also lists the
-- words):
--
--   score(d) = sum over words w of  weight(w) · bm25(w, d)
--
-- Exact in both engines; bm25_weighted computes the scores. If the text index uses pg_textsearch, it finds the
-- candidates: its query repeats the words in proportion to their weights, rounded up (rm3_typed). Its score times the
-- value of one occurrence is thus never below the true score. Once the k-th true score is above that of the last
-- candidate, no other document can be among the first k (the threshold of Fagin, Lotem & Naor, PODS 2001). Until then
-- more candidates are read.
--
-- filter: feedback documents and results must match it, and there are k results if that many match and contain a word.
-- engine and the state of the text index: as in bm25_search. original_weight 1 gives bm25_search's order.
--
-- Ordered by score descending, equal scores by docno descending ("C"), also at rank k. Raises IR201 k, fb_docs or
-- fb_terms below 1, IR202 an original_weight outside 0 to 1, no such engine or estimate, or an invalid filter, IR401
-- the text index is stale, IR402 no text index exists.
CREATE OR REPLACE FUNCTION public.rm3_search(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, fb_docs integer DEFAULT 10,
    fb_terms integer DEFAULT 10,
    original_weight double precision DEFAULT 0.5, engine text DEFAULT NULL, estimate text DEFAULT 'tfidf'
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
-- bm25_get_current_score() returns the score of the last index scan: no other plan may be chosen.
SET enable_seqscan = off
SET enable_indexscan = on
AS $$
DECLARE
    state text_index;
    condition text := filter_condition(rm3_search.filter);
    spread CONSTANT boolean := filter_while_scoring(rm3_search.filter);
    few bigint[];
    lexemes text[];
    words text[];
    weights double precision[];
    typed text;
    scale double precision;
BEGIN
    PERFORM check_k(rm3_search.k);
    SELECT array_agg(t.lexeme), array_agg(t.word), array_agg(t.weight) INTO lexemes, words, weights
      FROM rm3_terms(rm3_search.query, rm3_search.fb_docs, rm3_search.fb_terms, rm3_search.original_weight,
                     rm3_search.filter,
                     rm3_search.engine, rm3_search.estimate) t;
    SELECT * INTO state FROM text_index;
    IF NOT coalesce(state.stale, true) THEN
        -- Words without documents score nothing and are omitted.
        SELECT array_agg(u.lexeme), array_agg(u.word), array_agg(u.weight) INTO lexemes, words, weights
          FROM unnest(lexemes, words, weights) u (lexeme, word, weight)
          JOIN text_lexemes x ON x.lexeme = u.lexeme COLLATE "C";
        IF bm25_fast(state, rm3_search.engine) THEN
            SELECT y.typed, y.scale INTO typed, scale FROM rm3_typed(state.config, lexemes, words, weights) y;
        END IF;
    END IF;
    IF lexemes IS NULL THEN
        RETURN;
    ELSIF condition IS NOT NULL AND NOT spread THEN
        few := filter_docs(rm3_search.filter,
                           CASE WHEN scale IS NOT NULL THEN 1 + filter_few(rm3_search.k, state.documents) END);
        IF few IS NULL THEN
            RETURN;
        ELSIF scale IS NOT NULL AND cardinality(few) > filter_few(rm3_search.k, state.documents) THEN
            few := NULL;  -- not all of them
        ELSE
            scale := NULL;
        END IF;
    END IF;

    IF scale IS NOT NULL THEN
        RETURN QUERY SELECT * FROM rm3_indexed(typed, scale, lexemes, weights, rm3_search.k, state, rm3_search.engine,
                                               rm3_search.filter, condition);
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    IF condition IS NOT NULL AND few IS NULL AND NOT spread THEN
        few := coalesce(filter_docs(rm3_search.filter), '{}');
    END IF;
    RETURN QUERY SELECT * FROM bm25_weighted(lexemes, weights, rm3_search.k, coalesce(state.stale, true), few,
                                             CASE WHEN spread THEN rm3_search.filter END);
END
$$;
COMMENT ON FUNCTION public.rm3_search(text, integer, jsonb, integer, integer, double precision, text, text) IS
'Top k documents by BM25 for a query expanded by RM3 with words of its first documents';
