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
-- docs: score only these documents, with the statistics of all. NULL is all documents. filter: in a distributed
-- collection, the filter that the shards check instead.
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
    terms tsquery[];
    factors double precision[];
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
    IF distributed() THEN
        SELECT array_agg(lexeme_term(f.lexeme)),
               array_agg(f.weight * ln(1 + (state.documents - f.df + 0.5) / (f.df + 0.5))::double precision
                             * (state.k1 + 1))
          INTO terms, factors
          FROM unnest(bm25_weighted.lexemes, bm25_weighted.weights,
                      lexeme_documents(bm25_weighted.lexemes, bm25_weighted.live)) f (lexeme, weight, df)
         WHERE f.df > 0;
        RETURN QUERY SELECT * FROM bm25_distributed(terms, factors, bm25_weighted.k, bm25_weighted.live,
                                                    bm25_weighted.docs, state, bm25_weighted.filter)
                      WHERE terms IS NOT NULL;
        RETURN;
    END IF;
    RETURN QUERY
    WITH words AS MATERIALIZED (
        SELECT f.term,
               f.weight * ln(1 + (state.documents - f.df + 0.5) / (f.df + 0.5))::double precision
                   * (state.k1 + 1) AS weight
          FROM (SELECT lexeme_term(w.lexeme) AS term, w.weight,
                       CASE WHEN bm25_weighted.live
                            THEN (SELECT count(*) FROM dblp_text t WHERE t.tsv @@ lexeme_term(w.lexeme))
                            ELSE (SELECT x.documents FROM text_lexemes x
                                   WHERE x.lexeme = w.lexeme COLLATE "C") END AS df
                  FROM unnest(bm25_weighted.lexemes, bm25_weighted.weights) w (lexeme, weight)) f
         WHERE f.df > 0),
    best AS (
        SELECT p.id, sum(p.weight * p.tf / (p.tf + p.norm))::real::double precision AS value
          FROM (SELECT m.id, m.weight, term_frequency(m.tsv, m.term)::double precision AS tf,
                       state.k1 * (1 - state.b + state.b * state.documents / state.tokens * smallfloat_byte4(
                           CASE WHEN bm25_weighted.live THEN text_length(m.tsv) ELSE l.tokens END)) AS norm
                  FROM (SELECT t.id, t.tsv, w.term, w.weight FROM words w JOIN dblp_text t ON t.tsv @@ w.term
                         WHERE bm25_weighted.docs IS NULL
                        UNION ALL
                        SELECT t.id, t.tsv, w.term, w.weight
                          FROM dblp_text t,
                               -- OFFSET: otherwise the planner may write all documents to disk, to read them per word.
                               LATERAL (SELECT w.term, w.weight FROM words w WHERE t.tsv @@ w.term OFFSET 0) w
                               -- (SELECT …): the index is read once in the order of the ids.
                         WHERE bm25_weighted.docs IS NOT NULL
                           AND t.id = ANY ((SELECT bm25_weighted.docs)::bigint[])) m
                  LEFT JOIN text_lengths l ON l.id = m.id AND NOT bm25_weighted.live
                OFFSET 0) p  -- computes each frequency once
         GROUP BY p.id
         ORDER BY value DESC
         FETCH FIRST bm25_weighted.k ROWS WITH TIES)
    SELECT s.id, s.value, (row_number() OVER (ORDER BY s.value DESC, d.docno DESC))::integer
      FROM best s JOIN dblp d ON d.id = s.id
     ORDER BY s.value DESC, d.docno DESC
     LIMIT bm25_weighted.k;
END
$$;
COMMENT ON FUNCTION bm25_weighted(text[], double precision[], integer, boolean, bigint[], jsonb) IS
'BM25 with weighted words, without an extension: exact top k, for any state of the text index';
