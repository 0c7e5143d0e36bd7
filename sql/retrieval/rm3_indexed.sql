-- rm3_indexed: the search of rm3_search by pg_textsearch's index, which bm25_fast says can be used. It returns no rows
-- if too many candidates would have to be read. rm3_search turns off other plans.
--
-- typed, scale: the query with repeated words, and the value of one occurrence (rm3_typed). lexemes, weights: the
-- words. condition: that of the filter (filter_condition). engine: the requested one, for cluster/rm3_indexed.sql.
CREATE OR REPLACE FUNCTION rm3_indexed(
    typed text, scale double precision, lexemes text[], weights double precision[], k integer, state text_index,
    engine text, filter jsonb, condition text
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    depth bigint;
    docs bigint[];
    last double precision;
    reached boolean;
    found bigint[];
    scores double precision[];
BEGIN
    depth := least((rm3_indexed.k::bigint + rm3_indexed.k / 4 + 20) * CASE WHEN condition IS NULL THEN 1 ELSE 4 END,
                   state.documents);
    LOOP
        -- EXECUTE, because in a cached plan pg_textsearch 1.0 scores every row twice.
        EXECUTE $sql$
            SELECT array_agg(s.id), min(s.score)
              FROM (SELECT t.id, -bm25_get_current_score() AS score
                      FROM dblp_text t
                     ORDER BY t.content <@> to_bm25query($1, 'dblp_text_bm25')
                     LIMIT $2) s
            $sql$ INTO docs, last
            USING rm3_indexed.typed, depth;
        IF docs IS NULL THEN
            PERFORM bm25_check_silence(state.config, typed);
        END IF;
        reached := cardinality(docs) < depth OR depth >= state.documents;
        IF condition IS NOT NULL THEN
            EXECUTE format('SELECT array_agg(d.id) FROM dblp_facts d WHERE d.id = ANY ($2) AND %s', condition)
               INTO docs USING rm3_indexed.filter, docs;
        END IF;
        SELECT array_agg(s.doc ORDER BY s.rank), array_agg(s.score ORDER BY s.rank) INTO found, scores
          FROM bm25_weighted(lexemes, weights, rm3_indexed.k, docs => coalesce(docs, '{}')) s;
        IF reached OR scores[rm3_indexed.k] > scale * last * (1 + 1e-6) THEN
            RETURN QUERY SELECT u.doc, u.score, u.place::integer
                FROM unnest(found, scores) WITH ORDINALITY u (doc, score, place);
            RETURN;
        END IF;
        EXIT WHEN (8 * depth > state.documents) IS NOT FALSE;  -- then scoring all by the inverted file is cheaper
        depth := 2 * depth;
    END LOOP;
END
$$;
COMMENT ON FUNCTION rm3_indexed(text, double precision, text[], double precision[], integer, text_index, text, jsonb,
                               text) IS
'Part of rm3_search: the search by the index of pg_textsearch; no rows if it cannot be complete';
