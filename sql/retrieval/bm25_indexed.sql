-- bm25_indexed: bm25_search by pg_textsearch's index, which bm25_fast says can be used.
--
-- condition: that of the filter (filter_condition). matching: as returned by filter_matching; NULL if the caller does
-- not know it. If it lists the documents, the index is read as deep as k of them are expected, and each document is
-- looked up in the list; otherwise each is looked up in dblp_facts. engine: the requested one, for
-- cluster/bm25_indexed.sql.
CREATE OR REPLACE FUNCTION bm25_indexed(
    query text, k integer, state text_index, engine text, filter jsonb, condition text, matching bigint[]
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
-- bm25_get_current_score() returns the score of the last index scan: no other plan may be chosen.
SET enable_seqscan = off
SET enable_indexscan = on
AS $$
DECLARE
    words CONSTANT text := bm25_query(bm25_indexed.query);
    few bigint;
    matching bigint[] := bm25_indexed.matching;
    listed boolean := false;
    depth bigint;
    seen bigint;
    last double precision;
    docs bigint[];
    scores double precision[];
BEGIN
    depth := least(bm25_indexed.k::bigint + 2 + bm25_indexed.k / 50, state.documents);
    IF condition IS NOT NULL THEN
        few := filter_few(bm25_indexed.k, state.documents);
        matching := coalesce(matching, filter_matching(bm25_indexed.filter, bm25_indexed.k, few));
        listed := matching <> '{NULL}';
        IF matching = '{}' THEN
            RETURN;
        ELSIF listed AND cardinality(matching) <= few THEN
            RETURN QUERY SELECT * FROM bm25_portable(bm25_indexed.query, bm25_indexed.k, docs => matching);
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
           INTO docs, scores, seen, last USING bm25_indexed.filter, words, depth, matching;
        IF seen = 0 THEN
            PERFORM bm25_check_silence(state.config, words);
            RETURN;
        END IF;
        EXIT WHEN depth IS NULL OR seen < depth OR depth >= state.documents OR last < scores[bm25_indexed.k];
        -- If they are as frequent there as above.
        depth := least(state.documents, CASE WHEN condition IS NULL THEN 2 * depth
            ELSE greatest(1.25 * depth, least(8 * depth,
                1.25 * depth * bm25_indexed.k / greatest(cardinality(docs), 1))) END);
    END LOOP;
    -- Only tied documents need their docno.
    RETURN QUERY
    SELECT s.doc, s.score, (row_number() OVER (ORDER BY s.score DESC, s.tied DESC))::integer
      FROM (SELECT u.doc, u.score,
                   CASE WHEN u.score IN (scores[u.place - 1], scores[u.place + 1])
                        THEN (SELECT d.docno FROM dblp d WHERE d.id = u.doc) END AS tied
              FROM unnest(docs, scores) WITH ORDINALITY u (doc, score, place)) s
     ORDER BY s.score DESC, s.tied DESC
     LIMIT bm25_indexed.k;
END
$$;
COMMENT ON FUNCTION bm25_indexed(text, integer, text_index, text, jsonb, text, bigint[]) IS
'Part of bm25_search: the search by the index of pg_textsearch';
