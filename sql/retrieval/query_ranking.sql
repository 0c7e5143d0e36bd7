-- query_ranking: the documents that a system finds for a query, as one row: ids and scores by rank, by trec_eval 9's
-- rule: score in single precision descending, equal scores by docno descending as bytes. Empty arrays if it finds
-- nothing.
--
-- Parameters as in make_run; a filter judged without query is applied to this query. chunk: NULL if text is a query;
-- else text is an article that is searched in chunks (chunk_search).
CREATE OR REPLACE FUNCTION query_ranking(
    query text, text text, system text, depth integer, filter jsonb, model text, chunk integer,
    OUT docs bigint[], OUT scores double precision[]
)
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
AS $$
    SELECT coalesce(array_agg(s.doc ORDER BY trec_score(s.score) DESC, d.docno DESC), '{}'),
           coalesce(array_agg(s.score ORDER BY trec_score(s.score) DESC, d.docno DESC), '{}')
      FROM (SELECT CASE WHEN query_ranking.filter ? 'judged' AND NOT query_ranking.filter ? 'query'
                        THEN query_ranking.filter || jsonb_build_object('query', query_ranking.query)
                        ELSE query_ranking.filter END AS filter) f
     CROSS JOIN LATERAL (
           SELECT q.doc, q.score
             FROM system_search(query_ranking.text, query_ranking.system, query_ranking.depth, filter => f.filter,
                                model => query_ranking.model) q
            WHERE query_ranking.chunk IS NULL
            UNION ALL
           SELECT c.doc, c.score
             FROM chunk_search(query_ranking.text, query_ranking.system, query_ranking.depth, f.filter,
                               query_ranking.model, query_ranking.chunk) c
            WHERE query_ranking.chunk IS NOT NULL) s
      JOIN dblp d ON d.id = s.doc
$$;
COMMENT ON FUNCTION query_ranking(text, text, text, integer, jsonb, text, integer) IS
'Documents that a system finds for a query, as one row: ids and scores by rank';
