-- bm25_among: bm25_search, with the documents that match the filter if the caller knows them.
--
-- matching: as returned by filter_matching; NULL if the caller does not know it.
CREATE OR REPLACE FUNCTION bm25_among(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, engine text DEFAULT NULL,
    matching bigint[] DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    state text_index;
    current boolean;
    condition text := CASE WHEN bm25_among.filter IS NOT NULL THEN filter_condition(bm25_among.filter) END;
    matching bigint[] := bm25_among.matching;
BEGIN
    PERFORM check_k(bm25_among.k);
    IF bm25_among.engine NOT IN ('pg_textsearch', 'portable') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown BM25 engine %L', bm25_among.engine),
            HINT = 'Use pg_textsearch or portable; NULL selects the best one available.';
    END IF;

    SELECT * INTO state FROM text_index;
    current := NOT coalesce(state.stale, true);
    IF NOT bm25_fast(state, bm25_among.engine) THEN
        PERFORM bm25_stand_in(state, bm25_among.engine);
        IF condition IS NOT NULL AND NOT filter_while_scoring(bm25_among.filter) THEN
            matching := coalesce(nullif(matching, '{NULL}'), filter_docs(bm25_among.filter), '{}');
        END IF;
        RETURN QUERY SELECT * FROM bm25_portable(bm25_among.query, bm25_among.k, live => NOT current, docs => matching,
                                                 filter => CASE WHEN matching IS NULL THEN bm25_among.filter END);
        RETURN;
    END IF;

    RETURN QUERY SELECT * FROM bm25_indexed(bm25_among.query, bm25_among.k, state, bm25_among.engine,
                                            bm25_among.filter, condition, matching);
END
$$;
COMMENT ON FUNCTION bm25_among(text, integer, jsonb, text, bigint[]) IS
'Part of bm25_search: the search, with the documents that match the filter if they are known';
