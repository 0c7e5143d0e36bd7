-- bm25_spread: bm25_search in a distributed collection whose shards have an index of pg_textsearch each.
--
-- words: the query as bm25_query returns it. condition: that of the filter (filter_condition). The
-- shards check a filter that reads no other tables while they score candidates of the index, if enough documents match:
-- then about a fiftieth of the index is read at most. Other filters are for bm25_weighted.
CREATE OR REPLACE FUNCTION bm25_spread(
    words text, k integer, state text_index, engine text, filter jsonb, condition text
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = on  -- bm25_among turned it off
SET client_min_messages = notice
AS $$
DECLARE
    lexemes text[];
    weights double precision[];
    few bigint[];
    matched bigint;
BEGIN
    SELECT array_agg(w.lexeme), array_agg(CASE w.n WHEN 1 THEN 1 ELSE w.qtf END) INTO lexemes, weights
      FROM (SELECT q.lexeme, q.qtf, count(*) OVER () AS n FROM query_words((state).config, bm25_spread.words) q) w;
    IF bm25_spread.condition IS NULL THEN
        RETURN QUERY SELECT * FROM bm25_on_shards(bm25_spread.words, lexemes, weights, bm25_spread.k, state,
                                                  bm25_spread.engine);
        RETURN;
    ELSIF NOT filter_on_shards(bm25_spread.filter) THEN
        few := coalesce(filter_docs(bm25_spread.filter), '{}');
    ELSIF filter_of_facts(bm25_spread.condition) THEN
        matched := filter_matched(bm25_spread.filter, bm25_spread.condition, (state).documents);
        IF matched > greatest(filter_few(bm25_spread.k, (state).documents),
                              50 * (bm25_spread.k + 8::bigint * cardinality((state).anchors))) THEN
            RETURN QUERY SELECT * FROM bm25_on_shards(bm25_spread.words, lexemes, weights, bm25_spread.k, state,
                                                      bm25_spread.engine, bm25_spread.filter, bm25_spread.condition,
                                                      matched);
            RETURN;
        END IF;
    END IF;
    RETURN QUERY SELECT * FROM bm25_weighted(lexemes, weights, bm25_spread.k, docs => few,
                                             filter => CASE WHEN few IS NULL THEN bm25_spread.filter END);
END
$$;
COMMENT ON FUNCTION bm25_spread(text, integer, text_index, text, jsonb, text) IS
'Part of bm25_search: pg_textsearch in a distributed collection';
