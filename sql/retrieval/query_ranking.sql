-- query_ranking: the documents that a system finds for a query, as one row: ids and scores by rank, by trec_eval 9's
-- rule: score in single precision descending, equal scores by docno descending as bytes. Empty arrays if it finds
-- nothing.
--
-- Parameters as in make_run; a filter judged without query is applied to this query.
CREATE OR REPLACE FUNCTION query_ranking(
    query text, text text, system text, depth integer, filter jsonb, model text,
    OUT docs bigint[], OUT scores double precision[]
)
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
AS $$
    SELECT coalesce(array_agg(s.doc ORDER BY trec_score(s.score) DESC, d.docno DESC), '{}'),
           coalesce(array_agg(s.score ORDER BY trec_score(s.score) DESC, d.docno DESC), '{}')
      FROM system_search(
               query_ranking.text, query_ranking.system, query_ranking.depth, model => query_ranking.model,
               filter => CASE WHEN query_ranking.filter ? 'judged' AND NOT query_ranking.filter ? 'query'
                              THEN query_ranking.filter || jsonb_build_object('query', query_ranking.query)
                              ELSE query_ranking.filter END) s
      JOIN dblp d ON d.id = s.doc
$$;
COMMENT ON FUNCTION query_ranking(text, text, text, integer, jsonb, text) IS
'Documents that a system finds for a query, as one row: ids and scores by rank';
