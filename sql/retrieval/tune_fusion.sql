-- tune_fusion: the value of a fusion of stored runs by one edition of the judgments for many weights, best first: the
-- mean over the queries of the edition of the value that evaluate gives for the run that fuse_runs would create.
--
--   SELECT * FROM tune_fusion('{bm25,dense-abstract}', 'train', method => 'sum') LIMIT 5;
--
-- measure    a column of evaluate: ndcg, precision_at, recall_at (at the cutoff), reciprocal_rank or average_precision
-- steps      all weights are multiples of 1 / steps and sum to 1 (tune_grid); only their proportions matter
-- constants  constants of rrf, each tried with all weights; NULL in the result for other methods
-- method, norm, depth: as for fuse_runs.
--
-- Of equal values (to nine places) the most equal weights come first, then the smaller constant. The best weights are
-- best for these queries: report results on another edition.
--
-- One statement. The parts of a query's documents are computed once, one column per run (column names never come from
-- outside), then summed and ranked for each point of the grid; a measure with a cutoff only needs the best few of them.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff or depth below 1, IR202 fewer
-- than two runs or a repeated one, steps out of range, method, norm, constants, or a score that is not finite if scores
-- are used.
CREATE OR REPLACE FUNCTION public.tune_fusion(
    runs text[], edition text, measure text DEFAULT 'ndcg', cutoff integer DEFAULT 10, method text DEFAULT 'rrf',
    norm text DEFAULT 'minmax', steps integer DEFAULT 10, constants integer[] DEFAULT '{60}', depth integer DEFAULT 1000
)
RETURNS TABLE (weights jsonb, constant integer, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    ids CONSTANT integer[] := fusion_runs(tune_fusion.runs);
    n CONSTANT integer := cardinality(ids);
    points double precision := 1;
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(tune_fusion.runs, tune_fusion.edition, ARRAY[tune_fusion.cutoff]);
    IF tune_fusion.measure IS NULL
        OR tune_fusion.measure NOT IN ('ndcg', 'precision_at', 'recall_at', 'reciprocal_rank', 'average_precision') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108',
            MESSAGE = format('there is no measure %s to tune by', coalesce(tune_fusion.measure, 'NULL')),
            HINT = 'Use ndcg, precision_at, recall_at, reciprocal_rank or average_precision.';
    ELSIF tune_fusion.depth IS NULL OR tune_fusion.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(tune_fusion.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    ELSIF n < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a single run (%s) has no weights to tune', tune_fusion.runs[1]),
            HINT = 'Name two or more runs.';
    ELSIF tune_fusion.steps IS NULL OR tune_fusion.steps < 1 OR tune_fusion.steps > 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('steps is %s', coalesce(tune_fusion.steps::text, 'NULL')),
            HINT = 'Use 1 to 1,000: with 10 steps weights are tenths, with 20 twentieths.';
    ELSIF coalesce(cardinality(tune_fusion.constants), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'constants is empty',
            HINT = 'Give at least one constant of 0 or more for rrf; 60 is usual.';
    END IF;
    PERFORM fusion_check(tune_fusion.method, tune_fusion.norm, c) FROM unnest(tune_fusion.constants) c;
    FOR i IN 1..n - 1 LOOP
        points := points * (tune_fusion.steps + i) / i;
    END LOOP;
    IF points > 20000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s with %s give %s', counted(n, 'run'), counted(tune_fusion.steps, 'step'),
                             counted(points, 'point')),
            HINT = 'At most 20,000 points are tried: use fewer runs or steps.';
    END IF;
    PERFORM fusion_finite(ids, tune_fusion.method, tune_fusion.norm);
    RETURN QUERY EXECUTE format(
        $sql$
        WITH grid AS MATERIALIZED (SELECT g.weights, %1$s FROM tune_grid(cardinality($1), $8) g)
        SELECT (SELECT jsonb_object_agg(u.name, u.weight) FROM unnest($2, e.weights) u (name, weight)),
               e.constant, avg(e.value) AS value
          FROM unnest($9) k (constant)
         CROSS JOIN unnest($4) q (id)
         CROSS JOIN LATERAL (
               WITH judged AS MATERIALIZED (
                   SELECT j.doc, j.rel FROM qrels j WHERE j.edition = $3 AND j.query = q.id AND j.rel > 0),
               goal AS MATERIALIZED (
                   SELECT nullif(count(*), 0)::double precision AS relevant,
                          sum(i.rel / ln(i.rank + 1::double precision))
                          FILTER (WHERE i.rank <= $11) AS ideal
                     FROM (SELECT j.rel, row_number() OVER (ORDER BY j.rel DESC) AS rank FROM judged j) i),
               parts AS MATERIALIZED (
                   SELECT p.doc, %3$s FROM fusion_query_parts(q.id, $1, $6, $7, k.constant) p GROUP BY p.doc),
               named AS (
                   SELECT u.doc, u.docno FROM (SELECT array_agg(s.doc) AS docs FROM parts s) a
                    CROSS JOIN LATERAL unnest(a.docs, docnos(a.docs)) u (doc, docno)),
               candidates AS MATERIALIZED (
                   SELECT j.rel, row_number() OVER (ORDER BY d.docno DESC) AS place, %2$s
                     FROM parts s
                     JOIN named d ON d.doc = s.doc
                     LEFT JOIN judged j ON j.doc = s.doc)
               SELECT g.weights, CASE $6 WHEN 'rrf' THEN k.constant END AS constant,
                      coalesce(CASE $5 WHEN 'ndcg' THEN r.dcg / goal.ideal
                                       WHEN 'precision_at' THEN r.hits / $11::double precision
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
                                               ORDER BY trec_score(c.score) DESC, c.place LIMIT $10) b) t
                               WHERE t.rel > 0) h) r) e
         GROUP BY e.weights, e.constant
         ORDER BY round(avg(e.value)::numeric, 9) DESC, (SELECT sum(w * w) FROM unnest(e.weights) w),
         e.constant, e.weights DESC
        $sql$,
        (SELECT string_agg(format('g.weights[%1$s] AS w%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('s.p%s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('max(p.part) FILTER (WHERE p.place = %1$s) AS p%1$s', i), ', ' ORDER BY i)
           FROM generate_series(1, n) i),
        (SELECT string_agg(format('coalesce(c.p%1$s * g.w%1$s, 0)', i), ' + ' ORDER BY i) FROM generate_series(1, n) i),
        CASE tune_fusion.method WHEN 'mnz' THEN
            (SELECT format('(%s)', string_agg(format('(c.p%1$s IS NOT NULL AND g.w%1$s > 0)::integer', i), ' + '
                                              ORDER BY i))
               FROM generate_series(1, n) i) ELSE '1' END,
        -- A document that only runs of weight 0 contain is omitted.
        (SELECT string_agg(format('c.p%1$s IS NOT NULL AND g.w%1$s > 0', i), ' OR ' ORDER BY i)
           FROM generate_series(1, n) i))
    USING ids, tune_fusion.runs, key.edition_id, key.query_ids, tune_fusion.measure, tune_fusion.method,
    tune_fusion.norm, tune_fusion.steps,
          CASE tune_fusion.method WHEN 'rrf' THEN ARRAY(SELECT DISTINCT c FROM unnest(tune_fusion.constants) c)
               ELSE '{0}' END,
          CASE WHEN tune_fusion.measure IN ('ndcg', 'precision_at', 'recall_at')
               THEN least(tune_fusion.cutoff, tune_fusion.depth)
               ELSE tune_fusion.depth END,
          tune_fusion.cutoff;
END
$$;
COMMENT ON FUNCTION public.tune_fusion(text[], text, text, integer, text, text, integer, integer[], integer) IS
'Value of a fusion of stored runs on an edition for many weights, best first';
