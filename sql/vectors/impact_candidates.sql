-- impact_candidates: the documents that knn compares with a query exactly if the field has an index of impacts: the
-- first by the scores of pg_textsearch for the strongest t terms of the query (impact_query).
--
-- t is a quarter of effort, but at most the query's terms in the ratio of effort to 400, and at least 8. The
-- candidates are 2 k + 4 t, or 2 k and half of effort if these are more.
--
-- NULL if the index cannot answer, and all vectors must be compared: fewer than k candidates, pg_textsearch is not
-- loaded, or vectors were added since the build, which versions before 1.5 may lose (text_index_touched).
-- condition: that of the filter (filter_condition); all candidates match it. If few documents match, these are returned
-- (filter_few); otherwise the index is read deeper until enough do. matching: as returned by filter_matching.
CREATE OR REPLACE FUNCTION impact_candidates(
    query vector, k integer, walked vector_indexes, relation name, effort integer, filter jsonb, condition text,
    matching bigint[]
)
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
    index CONSTANT text := quote_ident(vector_index_name(relation, (walked).field, 'impact'));
    terms CONSTANT integer := greatest(8, least(vector_dims(impact_candidates.query) * impact_candidates.effort / 800,
                                                impact_candidates.effort / 4));
    wanted CONSTANT bigint := least((walked).rows, 2 * impact_candidates.k::bigint
                                                   + greatest(impact_candidates.effort / 2, 4 * terms));
    words CONSTANT text := impact_query(impact_candidates.query, terms);
    few CONSTANT bigint := filter_few(impact_candidates.k, (walked).rows);
    listed bigint[] := impact_candidates.matching;
    depth bigint := wanted;
    seen bigint;
    docs bigint[];
BEGIN
    IF words = '' OR current_setting('pg_textsearch.library_version', true) IS NULL
        OR text_index_touched(to_regclass(index))
    THEN
        RETURN NULL;
    ELSIF condition IS NOT NULL THEN
        listed := coalesce(listed, filter_matching(impact_candidates.filter, impact_candidates.k, few));
        IF listed <> '{NULL}' AND cardinality(listed) <= few THEN
            RETURN listed;
        END IF;
        depth := CASE WHEN listed <> '{NULL}' THEN least(16 * depth, depth * (walked).rows / cardinality(listed))
                      ELSE 2 * depth END;
    END IF;
    LOOP
        -- EXECUTE and CASE: as in bm25_indexed.
        EXECUTE format(
            'SELECT array_agg(u.id) FILTER (WHERE u.wanted), count(*)
               FROM (SELECT s.id, %s AS wanted
                       FROM (SELECT v.id FROM %I v ORDER BY v.%I <@> to_bm25query($2, %L) LIMIT $3) s
                     OFFSET 0) u',
            CASE WHEN condition IS NULL THEN 'true'
                 WHEN listed <> '{NULL}' THEN 'CASE WHEN s.id = ANY ($4) THEN true END'
                 ELSE format('(SELECT true FROM dblp_facts d WHERE d.id = s.id AND %s)', condition) END,
            relation, impact_column((walked).field), index)
           INTO docs, seen USING impact_candidates.filter, words, depth, listed;
        EXIT WHEN seen < depth OR cardinality(docs) >= wanted;
        depth := 4 * depth;
    END LOOP;
    RETURN CASE WHEN cardinality(docs) >= impact_candidates.k THEN docs END;
END
$$;
COMMENT ON FUNCTION impact_candidates(vector, integer, vector_indexes, name, integer, jsonb, text, bigint[]) IS
'Part of knn: the documents that an index of impacts selects for exact comparison';
