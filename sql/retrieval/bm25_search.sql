-- bm25_search: the documents that score best by BM25 for the words of the query (formula and citation: bm25_portable).
--
-- The query is text: words are stemmed and stop words left out as the text index does, a repeated word counts as often
-- as it stands there, quotes and plus signs mean nothing, words behind a minus are not scored. Anything is a query; one
-- without a word that occurs has no answer: no rows.
--
-- engine     NULL           pg_textsearch if the text index was built with it, else portable
--            pg_textsearch  its index or an error
--            portable       computed from core PostgreSQL (bm25_portable)
-- A stale text index answers only for engine => 'portable', which then reads the rows as they are, exact and slow, and
-- says so; the statistics of both engines are those of the build. Where the index of pg_textsearch is gone, its library
-- not loaded, or documents that were never committed are in it (text_index_touched), the portable engine stands in and
-- says so.
--
-- filter: only documents that it lets through (filter_condition), scored as they are without it, and k of them wherever
-- there are k that hold a word of the query. If they are few (filter_few), all of them are scored; otherwise the index
-- is asked for more until enough have passed.
--
-- Ties by docno descending ("C"), also at the cut: an index scan may cut a tie anywhere, so pg_textsearch is asked for
-- a few documents more than k, and for twice as many while the last one scores as the k-th does.
-- Raises IR201 k below 1, IR202 no such engine or a filter that cannot be read, IR401 the text index is stale (or
-- broken: bm25_check_silence), IR402 there is none (or none of that engine).
CREATE OR REPLACE FUNCTION public.bm25_search(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, engine text DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc, public, pg_temp
-- bm25_get_current_score() is what the index scan left behind: no other plan may be chosen.
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
            HINT = 'k is how many documents to return, 1 or more.';
    ELSIF bm25_search.engine NOT IN ('pg_textsearch', 'portable') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('no BM25 engine %L', bm25_search.engine),
            HINT = 'There are pg_textsearch and portable; NULL picks the best.';
    END IF;

    SELECT * INTO state FROM text_index;
    current := NOT coalesce(state.stale, true);
    IF NOT bm25_fast(state, bm25_search.engine) THEN
        PERFORM bm25_stand_in(state, bm25_search.engine);
        IF condition IS NOT NULL THEN
            few := coalesce(filter_docs(bm25_search.filter), '{}');
        END IF;
        RETURN QUERY SELECT * FROM bm25_portable(bm25_search.query, bm25_search.k, live => NOT current, docs => few);
        RETURN;
    END IF;

    words := scored_words(bm25_search.query);
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
        -- EXECUTE, since in a cached plan pg_textsearch 1.0 scores every row a second time.
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
        depth := least(8 * depth, state.documents);
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
'Top k documents by BM25 for any words of the query; by pg_textsearch where the text index has it';
