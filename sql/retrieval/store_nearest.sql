-- store_nearest: store the rankings of queries of an unfinished run in unfinished_rankings, given for each query
-- documents that include its nearest ones (stcollection/vectors/exact.py). Part of a run that compares all vectors.
--
-- searched: the queries. near_queries, near_docs: parallel arrays with the candidates of each query. Their distances
-- may include documents that are left out for a query (exclude_documents). Distances
-- are computed again by pgvector's operator, so that scores and order are those of an exact dense_search.
-- spent: as in search_queries. Returns the number of queries searched so far.
--
-- stopped is true, and nothing is stored, if the collection changed since the run was begun, as in search_queries.
CREATE OR REPLACE FUNCTION store_nearest(
    unfinished integer, searched integer[], near_queries integer[], near_docs bigint[], spent jsonb DEFAULT NULL,
    OUT done bigint, OUT stopped boolean
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    made unfinished_runs := claim_unfinished(store_nearest.unfinished, shared => true);
    space vector_models;
BEGIN
    stopped := made.id IS NULL;
    IF stopped THEN
        RETURN;
    END IF;
    space := vector_model(made.params ->> 'model');
    EXECUTE format(
        $sql$WITH q AS MATERIALIZED (
                 SELECT s.id, s.excluded, l2_normalize(embed_query(s.text, $1))::%3$s AS v
                   FROM st1_queries s WHERE s.id = ANY ($2)),
             found AS (
                 SELECT q.id, n.doc, 0 - (v.%1$I <#> q.v) AS score
                   FROM unnest($3, $4) n (query, doc) JOIN q ON q.id = n.query JOIN %2$I v ON v.id = n.doc
                  WHERE n.doc <> ALL (q.excluded)),
             ranked AS (
                 SELECT f.id, f.doc, f.score,
                        row_number() OVER (PARTITION BY f.id ORDER BY trec_score(f.score) DESC, d.docno DESC) AS rank
                   FROM found f JOIN dblp d ON d.id = f.doc),
             lists AS (
                 SELECT r.id, array_agg(r.doc ORDER BY r.rank) AS docs, array_agg(r.score ORDER BY r.rank) AS scores
                   FROM ranked r WHERE r.rank <= $5 GROUP BY r.id)
             INSERT INTO unfinished_rankings (unfinished, query, docs, scores, spent)
             SELECT $6, s.id, coalesce(l.docs, '{}'), coalesce(l.scores, '{}'), CASE s.place WHEN 1 THEN $7 END
               FROM unnest($2) WITH ORDINALITY s (id, place) LEFT JOIN lists l ON l.id = s.id
             ON CONFLICT DO NOTHING$sql$,
        vector_column(split_part(made.params ->> 'system', '-', 2)), space.relation, space.storage)
    USING space.model, searched, near_queries, near_docs, (made.params ->> 'depth')::integer, made.id,
          store_nearest.spent;
    done := (SELECT count(*) FROM unfinished_rankings r WHERE r.unfinished = made.id);
END
$$;
COMMENT ON FUNCTION store_nearest(integer, integer[], integer[], bigint[], jsonb) IS
'Store rankings of queries of an unfinished run, given documents that include the nearest ones of each query';
