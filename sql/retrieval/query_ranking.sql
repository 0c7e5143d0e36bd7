-- query_ranking: the documents that a system finds for a query, as one row: ids and scores by rank, by trec_eval 9's
-- rule: score in single precision descending, equal scores by docno descending as bytes. Empty arrays if it finds
-- nothing.
--
-- Documents that are left out for the query (exclude_documents) are searched in addition to depth, and omitted.
-- Parameters as in make_run; a filter judged without query is applied to this query. chunk: NULL if text is a query;
-- else text is an article that is searched in chunks (chunk_search).
CREATE OR REPLACE FUNCTION query_ranking(
    query text, text text, system text, depth integer, filter jsonb, model text, chunk integer,
    OUT docs bigint[], OUT scores double precision[]
)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    filter CONSTANT jsonb := CASE WHEN query_ranking.filter ? 'judged' AND NOT query_ranking.filter ? 'query'
                                  THEN query_ranking.filter || jsonb_build_object('query', query_ranking.query)
                                  ELSE query_ranking.filter END;
    excluded CONSTANT bigint[] := coalesce((SELECT q.excluded FROM st1_queries q
                                             WHERE q.query = query_ranking.query COLLATE "C"), '{}');
    k CONSTANT integer := query_ranking.depth + cardinality(excluded);
    stages CONSTANT text := (own_system(query_ranking.system)).stages;
BEGIN
    IF query_ranking.chunk IS NULL AND stages IS NOT NULL THEN  -- documents that are left out do not count in any stage
        SELECT array_agg(s.doc), array_agg(s.score) INTO docs, scores
          FROM pipeline_search(stages, query_ranking.text, query_ranking.depth, NULL, filter, query_ranking.model,
                               excluded) s;
    ELSIF query_ranking.chunk IS NULL THEN
        SELECT array_agg(s.doc), array_agg(s.score) INTO docs, scores
          FROM system_search(query_ranking.text, query_ranking.system, k, filter => filter,
                             model => query_ranking.model) s;
    ELSE
        SELECT array_agg(s.doc), array_agg(s.score) INTO docs, scores
          FROM chunk_search(query_ranking.text, query_ranking.system, k, filter, query_ranking.model,
                            query_ranking.chunk) s;
    END IF;
    -- A separate statement, because Citus cannot join documents with the rows of a function.
    SELECT coalesce((array_agg(f.doc ORDER BY trec_score(f.score) DESC, d.docno DESC))[:query_ranking.depth], '{}'),
           coalesce((array_agg(f.score ORDER BY trec_score(f.score) DESC, d.docno DESC))[:query_ranking.depth], '{}')
      INTO docs, scores
      FROM unnest(docs, scores) f (doc, score) JOIN dblp d ON d.id = f.doc WHERE f.doc <> ALL (excluded);
END
$$;
COMMENT ON FUNCTION query_ranking(text, text, text, integer, jsonb, text, integer) IS
'Documents that a system finds for a query, as one row: ids and scores by rank';
