-- bm25_among: bm25_search, with the documents that match the filter if the caller knows them.
--
-- matching: as returned by filter_matching; NULL if the caller does not know it. If it lists the documents, the index
-- is read as deep as k of them are expected, and each document is looked up in the list; otherwise each is looked up
-- in dblp_facts.
CREATE OR REPLACE FUNCTION bm25_among(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, engine text DEFAULT NULL,
    matching bigint[] DEFAULT NULL
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
    current boolean;
    words text;
    condition text := CASE WHEN bm25_among.filter IS NOT NULL THEN filter_condition(bm25_among.filter) END;
    few bigint;
    matching bigint[] := bm25_among.matching;
    listed boolean := false;
    depth bigint;
    seen bigint;
    last double precision;
    docs bigint[];
    scores double precision[];
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
        IF condition IS NOT NULL AND NOT filter_on_shards(bm25_among.filter) THEN
            matching := coalesce(nullif(matching, '{NULL}'), filter_docs(bm25_among.filter), '{}');
        END IF;
        RETURN QUERY SELECT * FROM bm25_portable(bm25_among.query, bm25_among.k, live => NOT current, docs => matching,
                                                 filter => CASE WHEN matching IS NULL THEN bm25_among.filter END);
        RETURN;
    END IF;

    words := bm25_query(bm25_among.query);
    IF state.anchors IS NOT NULL THEN
        RETURN QUERY SELECT * FROM bm25_spread(words, bm25_among.k, state, bm25_among.engine, bm25_among.filter,
                                               condition);
        RETURN;
    END IF;
    depth := least(bm25_among.k::bigint + 2 + bm25_among.k / 50, state.documents);
    IF condition IS NOT NULL THEN
        few := filter_few(bm25_among.k, state.documents);
        matching := coalesce(matching, filter_matching(bm25_among.filter, bm25_among.k, few));
        listed := matching <> '{NULL}';
        IF matching = '{}' THEN
            RETURN;
        ELSIF listed AND cardinality(matching) <= few THEN
            RETURN QUERY SELECT * FROM bm25_portable(bm25_among.query, bm25_among.k, docs => matching);
            RETURN;
        END IF;
        -- As deep as k matching documents are expected, with a margin, if they are as frequent there as in all.
        depth := least(state.documents, CASE WHEN listed
            THEN greatest(depth, least(16 * depth, 1.25 * depth * state.documents / cardinality(matching)))
            ELSE 2 * depth END);
    END IF;
    LOOP
        -- EXECUTE, because in a cached plan pg_textsearch 1.0 scores every row twice. CASE, because the planner would
        -- otherwise estimate = ANY for each element of a long array.
        EXECUTE format(
            $sql$
            SELECT array_agg(s.id) FILTER (WHERE s.wanted), array_agg(s.score) FILTER (WHERE s.wanted), count(*),
                   min(s.score)
              FROM (SELECT u.id, u.score, %s AS wanted
                      FROM (SELECT t.id, -bm25_get_current_score() AS score
                              FROM dblp_text t
                             ORDER BY t.content <@> to_bm25query($2, 'dblp_text_bm25')
                             LIMIT $3) u
                    OFFSET 0) s
            $sql$,
            CASE WHEN condition IS NULL THEN 'true'
                 WHEN listed THEN 'CASE WHEN u.id = ANY ($4) THEN true END'
                 ELSE format('(SELECT true FROM dblp_facts d WHERE d.id = u.id AND %s)', condition) END)
           INTO docs, scores, seen, last USING bm25_among.filter, words, depth, matching;
        IF seen = 0 THEN
            PERFORM bm25_check_silence(state.config, words);
            RETURN;
        END IF;
        EXIT WHEN seen < depth OR depth >= state.documents OR last < scores[bm25_among.k];
        -- If they are as frequent there as above.
        depth := least(state.documents, CASE WHEN condition IS NULL THEN 2 * depth
            ELSE greatest(1.25 * depth, least(8 * depth,
                1.25 * depth * bm25_among.k / greatest(cardinality(docs), 1))) END);
    END LOOP;
    -- Only tied documents need their docno.
    RETURN QUERY
    SELECT s.doc, s.score, (row_number() OVER (ORDER BY s.score DESC, s.tied DESC))::integer
      FROM (SELECT u.doc, u.score,
                   CASE WHEN u.score IN (scores[u.place - 1], scores[u.place + 1])
                        THEN (SELECT d.docno FROM dblp d WHERE d.id = u.doc) END AS tied
              FROM unnest(docs, scores) WITH ORDINALITY u (doc, score, place)) s
     ORDER BY s.score DESC, s.tied DESC
     LIMIT bm25_among.k;
END
$$;
COMMENT ON FUNCTION bm25_among(text, integer, jsonb, text, bigint[]) IS
'Part of bm25_search: the search, with the documents that match the filter if they are known';
