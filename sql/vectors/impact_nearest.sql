-- impact_nearest: knn of sparse vectors by an index of impacts, in two steps: pg_textsearch selects candidates for the
-- strongest t terms of the query (impact_query), and these are compared by their vectors.
--
-- The candidates are 2 k + effort · √k / 10. t is the query's terms in the ratio of effort to 300, but at most
-- 3/8 of effort, and at least 8: time grows with the terms more than with the candidates.
--
-- complete is false if all vectors must be compared: the candidates would be more than a third of them, or turn out
-- fewer than k; pg_textsearch is not loaded; or vectors were added since the build, which versions before 1.5 may lose
-- (text_index_touched).
-- condition: that of the filter (filter_condition); all candidates match it. If few documents match, all of these are
-- compared (filter_few); otherwise the index is read deeper until enough do. matching: as returned by filter_matching.
CREATE OR REPLACE FUNCTION impact_nearest(
    query vector, terms sparsevec, k integer, walked vector_indexes, relation name, effort integer, filter jsonb,
    condition text, matching bigint[],
    OUT docs bigint[], OUT distances double precision[], OUT complete boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
    index CONSTANT text := quote_ident(vector_index_name(relation, (walked).field, 'impact'));
    texts CONSTANT text := format('stc.%I', vector_index_name(relation, (walked).field, 'impacts'));
    strongest CONSTANT integer := greatest(8, least(vector_dims(impact_nearest.query) * impact_nearest.effort / 600,
                                                    impact_nearest.effort * 3 / 8));
    wanted CONSTANT bigint := least((walked).rows, 2 * impact_nearest.k::bigint
                                                   + impact_nearest.effort * sqrt(impact_nearest.k) / 10);
    idf CONSTANT real[] := (SELECT i.idf FROM vector_indexes i
                             WHERE i.model = (walked).model AND i.field = (walked).field);
    words CONSTANT text := impact_query(impact_nearest.query, strongest, idf);
    few CONSTANT bigint := filter_few(impact_nearest.k, (walked).rows);
    listed bigint[] := impact_nearest.matching;
    depth bigint := wanted;
    read bigint;
    chosen bigint;
BEGIN
    complete := false;
    IF words = '' OR wanted > (walked).rows / 3 OR to_regclass(texts) IS NULL
        OR current_setting('pg_textsearch.library_version', true) IS NULL OR text_index_touched(to_regclass(index))
    THEN
        RETURN;
    ELSIF condition IS NOT NULL THEN
        listed := coalesce(listed, filter_matching(impact_nearest.filter, impact_nearest.k, few));
        depth := CASE WHEN listed <> '{NULL}'
                      THEN least(16 * depth, depth * (walked).rows / greatest(1, cardinality(listed)))
                      ELSE 2 * depth END;
    END IF;
    complete := listed <> '{NULL}' AND cardinality(listed) <= few;
    LOOP
        -- EXECUTE and CASE: as in bm25_indexed. No WITH: pg_textsearch 1.0 would score each row there a second time.
        EXECUTE format(
            'SELECT max(n.read), max(n.chosen), array_agg(n.id ORDER BY n.distance) FILTER (WHERE n.distance < 0),
                    array_agg(n.distance ORDER BY n.distance) FILTER (WHERE n.distance < 0)
               FROM (SELECT c.id, count(*) OVER () AS read, count(c.chosen) OVER () AS chosen,
                            CASE WHEN c.chosen THEN (SELECT v.%I <#> $5 FROM %I v WHERE v.id = c.id) END AS distance
                       FROM (SELECT s.id, %s AS chosen FROM (%s) s OFFSET 0) c
                      ORDER BY distance FETCH FIRST $6 ROWS WITH TIES) n',
            vector_column((walked).field), relation,
            CASE WHEN condition IS NULL OR complete THEN 'true'
                 WHEN listed <> '{NULL}' THEN 'CASE WHEN s.id = ANY ($4) THEN true END'
                 ELSE format('(SELECT true FROM dblp_facts d WHERE d.id = s.id AND %s)', condition) END,
            CASE WHEN complete THEN 'SELECT u.id FROM unnest($4) u (id)'
                 ELSE format('SELECT i.id FROM %s i ORDER BY i.content <@> to_bm25query($2, %L) LIMIT $3', texts,
                             index) END)
           INTO read, chosen, docs, distances USING impact_nearest.filter, words, depth, listed, impact_nearest.terms,
                                                    impact_nearest.k;
        EXIT WHEN complete OR read IS NULL OR read < depth OR chosen >= wanted;
        depth := 4 * depth;
    END LOOP;
    complete := complete OR cardinality(docs) >= impact_nearest.k;
END
$$;
COMMENT ON FUNCTION impact_nearest(vector, sparsevec, integer, vector_indexes, name, integer, jsonb, text, bigint[]) IS
'Part of knn: the nearest sparse vectors by an index of impacts, if it can find them';
