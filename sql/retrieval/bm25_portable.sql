-- bm25_portable: BM25 with core PostgreSQL only. It verifies the fast engine in tests and replaces it where it is not
-- available. Scores equal those of pg_textsearch 1.0 to a relative 1e-6.
--
--   score(d)  = sum over query words w of  qtf · idf(w) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average))
--   idf(w)    = ln(1 + (N − df + 0.5) / (df + 0.5))
--
-- qtf, tf: occurrences in query and document; length rounded as in Lucene (smallfloat_byte4), average over the exact
-- lengths; N counts documents with at least one word (Robertson & Zaragoza, FnTIR 3(4), 2009; idf and rounding as in
-- Lucene 8 and later, the factor k1 + 1 as in earlier versions). Title and abstract are one text; the weights of tsv
-- are ignored. A query of a single word has qtf 1 even if the word is repeated: repeating it would not change the
-- order, and pg_textsearch ignores it.
--
-- live, docs, filter, ties and rounding are those of bm25_weighted, which computes the scores. Raises IR201 k below 1.
CREATE OR REPLACE FUNCTION bm25_portable(
    query text, k integer DEFAULT 100, live boolean DEFAULT false, docs bigint[] DEFAULT NULL,
    filter jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice about words too long to be indexed
AS $$
DECLARE
    lexemes text[];
    weights double precision[];
BEGIN
    SELECT array_agg(w.lexeme), array_agg(w.qtf) INTO lexemes, weights
      FROM query_words(text_config(), bm25_query(bm25_portable.query)) w;
    IF cardinality(lexemes) = 1 THEN
        weights := '{1}';
    END IF;
    RETURN QUERY SELECT * FROM bm25_weighted(lexemes, weights, bm25_portable.k, bm25_portable.live, bm25_portable.docs,
                                             bm25_portable.filter);
END
$$;
COMMENT ON FUNCTION bm25_portable(text, integer, boolean, bigint[], jsonb) IS
'BM25 without an extension: exact top k, for any state of the text index';
