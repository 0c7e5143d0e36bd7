-- bm25_search: the k documents with the highest BM25 scores for the words of the query (formula and citation:
-- bm25_portable).
--
-- The query is plain text. Words are stemmed and stop words removed as in the text index. A repeated word counts each
-- time. Quotes and plus signs have no meaning, and words after a minus are not scored. Every text is a valid query; a
-- query without a word of the corpus returns no rows.
--
-- engine     NULL           pg_textsearch if the text index was built with it, else portable
--            pg_textsearch  its index, or an error
--            portable       computed with core PostgreSQL (bm25_portable)
-- A stale text index is used only for engine => 'portable', which then reads the rows directly: exact but slow, and
-- reported by a NOTICE. Otherwise the statistics of both engines are those of the build. The portable engine replaces
-- pg_textsearch, with a NOTICE, if the index is missing, the library is not loaded, or the index contains documents
-- that were never committed (text_index_touched).
--
-- filter: only documents that match it (filter_condition), with unchanged scores, and k of them if that many contain a
-- word of the query. If few documents match (filter_few), all of them are scored; otherwise the index is read further
-- until enough of its documents match.
--
-- In a distributed collection each shard has an index (bm25_on_shards).
--
-- Equal scores by docno descending ("C"), also at rank k: an index scan can end within a tie, so a few documents more
-- than k are read from pg_textsearch, and twice as many while the last score equals the k-th.
-- Raises IR201 k below 1, IR202 no such engine or an invalid filter, IR401 the text index is stale (or damaged:
-- bm25_check_silence), IR402 no text index exists (or none of that engine).
CREATE OR REPLACE FUNCTION public.bm25_search(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, engine text DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc, public, pg_temp
-- bm25_get_current_score() returns the score of the last index scan: no other plan may be chosen.
SET enable_seqscan = off
SET enable_indexscan = on
AS $$
DECLARE
    state text_index;
    current boolean;
    words text;
    condition text := CASE WHEN bm25_search.filter IS NOT NULL THEN filter_condition(bm25_search.filter) END;
    few bigint[];
    depth bigint;
    exhausted boolean;
    last double precision;
    docs bigint[];
    scores double precision[];
BEGIN
    IF bm25_search.k IS NULL OR bm25_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(bm25_search.k::text, 'NULL')),
            HINT = 'k is the maximum number of documents to return, 1 or more.';
    ELSIF bm25_search.engine NOT IN ('pg_textsearch', 'portable') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown BM25 engine %L', bm25_search.engine),
            HINT = 'Use pg_textsearch or portable; NULL selects the best one available.';
    END IF;

    SELECT * INTO state FROM text_index;
    current := NOT coalesce(state.stale, true);
    IF NOT bm25_fast(state, bm25_search.engine) THEN
        PERFORM bm25_stand_in(state, bm25_search.engine);
        IF condition IS NOT NULL AND NOT filter_on_shards(bm25_search.filter) THEN
            few := coalesce(filter_docs(bm25_search.filter), '{}');
        END IF;
        RETURN QUERY SELECT * FROM bm25_portable(bm25_search.query, bm25_search.k, live => NOT current, docs => few,
                                                 filter => CASE WHEN few IS NULL THEN bm25_search.filter END);
        RETURN;
    END IF;

    words := scored_words(bm25_search.query);
    IF state.anchors IS NOT NULL THEN
        RETURN QUERY SELECT * FROM bm25_spread(words, bm25_search.k, state, bm25_search.engine, bm25_search.filter,
                                               condition);
        RETURN;
    END IF;
    depth := least(bm25_search.k::bigint + 2 + bm25_search.k / 50, state.documents);
    IF condition IS NOT NULL THEN
        few := filter_docs(bm25_search.filter, 1 + filter_few(bm25_search.k, state.documents));
        IF few IS NULL THEN
            RETURN;
        ELSIF cardinality(few) <= filter_few(bm25_search.k, state.documents) THEN
            RETURN QUERY SELECT * FROM bm25_portable(bm25_search.query, bm25_search.k, docs => few);
            RETURN;
        END IF;
        depth := least(4 * depth, state.documents);
    END IF;
    LOOP
        -- EXECUTE, because in a cached plan pg_textsearch 1.0 scores every row twice.
        EXECUTE $sql$
            SELECT array_agg(s.id), array_agg(s.score)
              FROM (SELECT t.id, -bm25_get_current_score() AS score
                      FROM dblp_text t
                     ORDER BY t.content <@> to_bm25query($1, 'dblp_text_bm25')
                     LIMIT $2) s
            $sql$ INTO docs, scores
            USING words, depth;
        IF docs IS NULL THEN
            PERFORM bm25_check_silence(state.config, words);
            RETURN;
        END IF;
        exhausted := cardinality(docs) < depth OR depth >= state.documents;
        last := scores[cardinality(scores)];
        IF condition IS NULL THEN
            EXIT WHEN exhausted OR last < scores[bm25_search.k];
            depth := least(2 * depth, state.documents);
            CONTINUE;
        END IF;
        EXECUTE format(
            $sql$SELECT array_agg(u.doc ORDER BY u.place), array_agg(u.score ORDER BY u.place)
                   FROM (SELECT u.doc, u.score, u.place FROM unnest($2, $3) WITH ORDINALITY u (doc, score, place)
                           JOIN dblp_facts d ON d.id = u.doc
                          WHERE %s) u$sql$, condition)
           INTO docs, scores USING bm25_search.filter, docs, scores;
        EXIT WHEN exhausted OR last < scores[bm25_search.k];
        -- As deep as k matching documents are expected, with a margin, if they are as frequent there as above.
        depth := least(state.documents, greatest(
            2 * depth, least(8 * depth, 1.25 * depth * bm25_search.k / greatest(cardinality(docs), 1))));
    END LOOP;
    -- Only tied documents need their docno.
    RETURN QUERY
    SELECT s.doc, s.score, (row_number() OVER (ORDER BY s.score DESC, s.tied DESC))::integer
      FROM (SELECT u.doc, u.score,
                   CASE WHEN u.score IN (scores[u.place - 1], scores[u.place + 1])
                        THEN (SELECT d.docno FROM dblp d WHERE d.id = u.doc) END AS tied
              FROM unnest(docs, scores) WITH ORDINALITY u (doc, score, place)) s
     ORDER BY s.score DESC, s.tied DESC
     LIMIT bm25_search.k;
END
$$;
COMMENT ON FUNCTION public.bm25_search(text, integer, jsonb, text) IS
'Top k documents by BM25 for the words of a query, by pg_textsearch if the text index was built with it';
