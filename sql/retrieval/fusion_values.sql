-- fusion_values: the value of a fusion of stored runs for each query of an edition and each point of a grid of weights:
-- the value that evaluate gives for the run that fuse_runs would create. tune_fusion has the arguments and the errors.
--
-- weights is in the order of runs. One statement. The parts of a query's documents are computed once, one column per
-- run (column names never come from outside), then summed and ranked for each point of the grid; a measure with a
-- cutoff only needs the best few of them.
CREATE OR REPLACE FUNCTION fusion_values(
    runs text[], edition text, measure text, cutoff integer, method text, norm text, steps integer,
    constants integer[], depth integer
)
RETURNS TABLE (query integer, weights double precision[], constant integer, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    ids CONSTANT integer[] := fusion_runs(fusion_values.runs);
    n CONSTANT integer := cardinality(ids);
    points double precision := 1;
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(fusion_values.runs, fusion_values.edition, ARRAY[fusion_values.cutoff]);
    IF fusion_values.measure IS NULL
        OR fusion_values.measure NOT IN ('ndcg', 'precision_at', 'recall_at', 'reciprocal_rank', 'average_precision')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108',
            MESSAGE = format('there is no measure %s to tune by', coalesce(fusion_values.measure, 'NULL')),
            HINT = 'Use ndcg, precision_at, recall_at, reciprocal_rank or average_precision.';
    ELSIF fusion_values.depth IS NULL OR fusion_values.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(fusion_values.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    ELSIF n < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a single run (%s) has no weights to tune', fusion_values.runs[1]),
            HINT = 'Name two or more runs.';
    ELSIF fusion_values.steps IS NULL OR fusion_values.steps < 1 OR fusion_values.steps > 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('steps is %s', coalesce(fusion_values.steps::text, 'NULL')),
            HINT = 'Use 1 to 1,000: with 10 steps weights are tenths, with 20 twentieths.';
    ELSIF key.query_ids = '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('edition %L has no judgments', fusion_values.edition),
            HINT = 'Load some: ''stc load FILE --as qrels'', or name another edition.';
    ELSIF coalesce(cardinality(fusion_values.constants), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'constants is empty',
            HINT = 'Give at least one constant of 0 or more for rrf; 60 is usual.';
    END IF;
    PERFORM fusion_check(fusion_values.method, fusion_values.norm, c) FROM unnest(fusion_values.constants) c;
    FOR i IN 1..n - 1 LOOP
        points := points * (fusion_values.steps + i) / i;
    END LOOP;
    IF points > 20000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s with %s give %s', counted(n, 'run'), counted(fusion_values.steps, 'step'),
                             counted(points, 'point')),
            HINT = 'At most 20,000 points are tried: use fewer runs or steps.';
    END IF;
    PERFORM fusion_finite(ids, fusion_values.method, fusion_values.norm);
    RETURN QUERY EXECUTE format(
        $sql$
        WITH grid AS MATERIALIZED (SELECT g.weights, %1$s FROM tune_grid(cardinality($1), $7) g)
        SELECT q.id, e.weights, e.constant, e.value
          FROM unnest($8) k (constant)
         CROSS JOIN unnest($3) q (id)
         CROSS JOIN LATERAL (
               WITH judged AS MATERIALIZED (
                   SELECT j.doc, j.rel FROM qrels j WHERE j.edition = $2 AND j.query = q.id AND j.rel > 0),
               goal AS MATERIALIZED (
                   SELECT nullif(count(*), 0)::double precision AS relevant,
                          sum(i.rel / ln(i.rank + 1::double precision))
                          FILTER (WHERE i.rank <= $10) AS ideal
                     FROM (SELECT j.rel, row_number() OVER (ORDER BY j.rel DESC) AS rank FROM judged j) i),
               parts AS MATERIALIZED (
                   SELECT p.doc, %3$s FROM fusion_query_parts(q.id, $1, $5, $6, k.constant) p GROUP BY p.doc),
               named AS (
                   SELECT u.doc, u.docno FROM (SELECT array_agg(s.doc) AS docs FROM parts s) a
                    CROSS JOIN LATERAL unnest(a.docs, docnos(a.docs)) u (doc, docno)),
               candidates AS MATERIALIZED (
                   SELECT j.rel, row_number() OVER (ORDER BY d.docno DESC) AS place, %2$s
                     FROM parts s
                     JOIN named d ON d.doc = s.doc
                     LEFT JOIN judged j ON j.doc = s.doc)
               SELECT g.weights, CASE $5 WHEN 'rrf' THEN k.constant END AS constant,
                      coalesce(CASE $4 WHEN 'ndcg' THEN r.dcg / goal.ideal
                                       WHEN 'precision_at' THEN r.hits / $10::double precision
                                       WHEN 'recall_at' THEN r.hits / goal.relevant
                                       WHEN 'reciprocal_rank' THEN 1 / r.first::double precision
                                       ELSE r.precisions / goal.relevant END, 0) AS value
                 FROM goal
                CROSS JOIN grid g
                CROSS JOIN LATERAL (
                      SELECT count(*) AS hits, min(h.rank) AS first,
                             sum(h.rel / ln(h.rank + 1::double precision)) AS dcg,
                             sum(h.hit / h.rank::double precision) AS precisions
                        FROM (SELECT t.rel, t.rank, row_number() OVER (ORDER BY t.rank) AS hit
                                FROM (SELECT b.rel, row_number() OVER () AS rank
                                        FROM (SELECT c.rel
                                                FROM (SELECT c.rel, c.place, (%4$s) * %5$s AS score FROM candidates c
                                                 WHERE %6$s OFFSET 0) c
                                               ORDER BY trec_score(c.score) DESC, c.place LIMIT $9) b) t
                               WHERE t.rel > 0) h) r) e
        $sql$,
        (SELECT string_agg(format('g.weights[%1$s] AS w%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('s.p%s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('max(p.part) FILTER (WHERE p.place = %1$s) AS p%1$s', i), ', ' ORDER BY i)
           FROM generate_series(1, n) i),
        (SELECT string_agg(format('coalesce(c.p%1$s * g.w%1$s, 0)', i), ' + ' ORDER BY i) FROM generate_series(1, n) i),
        CASE fusion_values.method WHEN 'mnz' THEN
            (SELECT format('(%s)', string_agg(format('(c.p%1$s IS NOT NULL AND g.w%1$s > 0)::integer', i), ' + '
                                              ORDER BY i))
               FROM generate_series(1, n) i) ELSE '1' END,
        -- A document that only runs of weight 0 contain is omitted.
        (SELECT string_agg(format('c.p%1$s IS NOT NULL AND g.w%1$s > 0', i), ' OR ' ORDER BY i)
           FROM generate_series(1, n) i))
    USING ids, key.edition_id, key.query_ids, fusion_values.measure, fusion_values.method,
    fusion_values.norm, fusion_values.steps,
          CASE fusion_values.method WHEN 'rrf' THEN ARRAY(SELECT DISTINCT c FROM unnest(fusion_values.constants) c)
               ELSE '{0}' END,
          CASE WHEN fusion_values.measure IN ('ndcg', 'precision_at', 'recall_at')
               THEN least(fusion_values.cutoff, fusion_values.depth)
               ELSE fusion_values.depth END,
          fusion_values.cutoff;
END
$$;
COMMENT ON FUNCTION fusion_values(text[], text, text, integer, text, text, integer, integer[], integer) IS
'Value of a fusion of stored runs for each query of an edition and each point of a grid of weights';
