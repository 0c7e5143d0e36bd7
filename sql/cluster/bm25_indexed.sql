-- bm25_indexed: as retrieval/bm25_indexed.sql, for several servers: each shard has an index of pg_textsearch.
--
-- The shards check a filter that reads no other tables while they score candidates of the index, if enough documents
-- match: then about a fiftieth of the index is read at most. Other filters are for bm25_weighted. matching: not used.
CREATE OR REPLACE FUNCTION bm25_indexed(
    query text, k integer, state text_index, engine text, filter jsonb, condition text, matching bigint[]
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = notice
AS $$
DECLARE
    words CONSTANT text := bm25_query(bm25_indexed.query);
    lexemes text[];
    weights double precision[];
    few bigint[];
    matched bigint;
BEGIN
    SELECT array_agg(w.lexeme), array_agg(CASE w.n WHEN 1 THEN 1 ELSE w.qtf END) INTO lexemes, weights
      FROM (SELECT q.lexeme, q.qtf, count(*) OVER () AS n FROM query_words((state).config, words) q) w;
    IF bm25_indexed.condition IS NULL THEN
        RETURN QUERY SELECT * FROM bm25_on_shards(words, lexemes, weights, bm25_indexed.k, state,
                                                  bm25_indexed.engine);
        RETURN;
    ELSIF NOT filter_while_scoring(bm25_indexed.filter) THEN
        few := coalesce(filter_docs(bm25_indexed.filter), '{}');
    ELSIF filter_of_facts(bm25_indexed.condition) THEN
        matched := filter_matched(bm25_indexed.filter, bm25_indexed.condition, (state).documents);
        IF matched > greatest(filter_few(bm25_indexed.k, (state).documents),
                              50 * (bm25_indexed.k + 8::bigint * cardinality((state).anchors))) THEN
            RETURN QUERY SELECT * FROM bm25_on_shards(words, lexemes, weights, bm25_indexed.k, state,
                                                      bm25_indexed.engine, bm25_indexed.filter, bm25_indexed.condition,
                                                      matched);
            RETURN;
        END IF;
    END IF;
    RETURN QUERY SELECT * FROM bm25_weighted(lexemes, weights, bm25_indexed.k, docs => few,
                                             filter => CASE WHEN few IS NULL THEN bm25_indexed.filter END);
END
$$;
COMMENT ON FUNCTION bm25_indexed(text, integer, text_index, text, jsonb, text, bigint[]) IS
'Part of bm25_search: the search by the index of pg_textsearch';
