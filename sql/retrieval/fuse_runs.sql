-- fuse_runs: fuse stored runs for all their queries into a new run. For method, norm, weights (by
-- run) and constant see fuse; scores are normalised over each run's whole stored ranking of a query.
--
--   SELECT * FROM fuse_runs('both', '{bm25,dense-abstract}', 'sum', weights => '{"bm25": 0.3, "dense-abstract": 0.7}');
--
-- depth: maximum number of documents per query. Parts are added in the order of the runs. Ranked by trec_eval 9's rule:
-- score in single precision descending, equal scores by docno descending as bytes. params of the new run contains all
-- arguments, and the date and params of each run.
-- Raises IR101 no such run, IR201 depth below 1, IR202 no runs or one twice, a name that is taken (unless replace) or
-- that of one of the runs, method, norm, weights, constant, or a score that is not finite if scores are used; IR405
-- nothing to fuse.
CREATE OR REPLACE FUNCTION public.fuse_runs(
    run text, runs text[], method text DEFAULT 'rrf', norm text DEFAULT 'minmax', weights jsonb DEFAULT NULL,
    constant integer DEFAULT 60, depth integer DEFAULT 1000, replace boolean DEFAULT false
)
RETURNS TABLE (queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    ids integer[] := fusion_runs(fuse_runs.runs);
    factors double precision[];
    run_id integer;
    part integer[];
BEGIN
    PERFORM fusion_check(fuse_runs.method, fuse_runs.norm, fuse_runs.constant);
    factors := fusion_weights(fuse_runs.runs, fuse_runs.weights);
    PERFORM fusion_name(fuse_runs.run, fuse_runs.runs, fuse_runs.replace);
    IF fuse_runs.depth IS NULL OR fuse_runs.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(fuse_runs.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    END IF;
    PERFORM fusion_finite(ids, fuse_runs.method, fuse_runs.norm);
    PERFORM drop_runs(ARRAY[fuse_runs.run]);  -- the run exists only if it may be replaced
    INSERT INTO st1_runs (run, tag, family, params)
    SELECT fuse_runs.run, fuse_runs.run, 'fusion',
           jsonb_build_object('system', 'fusion', 'method', fuse_runs.method, 'depth', fuse_runs.depth,
               'runs', (SELECT jsonb_agg(fusion_source(u.id) || jsonb_build_object('weight', u.weight) ORDER BY u.place)
                          FROM unnest(ids, factors) WITH ORDINALITY u (id, weight, place)))
           || CASE fuse_runs.method WHEN 'rrf' THEN jsonb_build_object('constant', fuse_runs.constant)
                   ELSE jsonb_build_object('norm', fuse_runs.norm) END
    RETURNING id INTO run_id;
    SELECT array_agg(u.id ORDER BY u.place), array_agg(u.weight ORDER BY u.place) INTO ids, factors
      FROM unnest(ids, factors) WITH ORDINALITY u (id, weight, place) WHERE u.weight > 0;
    FOR part IN SELECT * FROM run_parts(ids) LOOP
        -- Only documents with equal scores need their docno. Each of a part is looked up once.
        INSERT INTO ranked_lists (run, query, first, docs, rel_scores)
        WITH fused AS MATERIALIZED (
            SELECT q.id AS query, f.doc, f.score, f.place, f.last > f.place AS tied
              FROM unnest(part) q (id)
             CROSS JOIN LATERAL (
                   SELECT s.doc, s.score, rank() OVER (ORDER BY s.single DESC) AS place,
                          count(*) OVER (ORDER BY s.single DESC) AS last
                     FROM (SELECT s.doc, s.score, trec_score(s.score) AS single
                             FROM (SELECT p.doc, sum(p.part * factors[p.place] ORDER BY p.place)
                                                 * CASE fuse_runs.method WHEN 'mnz' THEN count(*) ELSE 1 END AS score
                                     FROM fusion_query_parts(q.id, ids, fuse_runs.method, fuse_runs.norm,
                                                             fuse_runs.constant) p
                                    GROUP BY p.doc OFFSET 0) s OFFSET 0) s) f
             WHERE f.place <= fuse_runs.depth),
        named AS MATERIALIZED (
            SELECT n.doc, n.docno
              FROM (SELECT ARRAY(SELECT DISTINCT f.doc FROM fused f WHERE f.tied) AS docs OFFSET 0) t
             CROSS JOIN LATERAL unnest(t.docs, docnos(t.docs)) n (doc, docno))
        SELECT run_id, f.query, min(f.rank), array_agg(f.doc ORDER BY f.rank), array_agg(f.score ORDER BY f.rank)
          FROM (SELECT f.query, f.doc, f.score,
                       row_number() OVER (PARTITION BY f.query ORDER BY f.place, n.docno COLLATE "C" DESC)::integer
                           AS rank
                  FROM fused f LEFT JOIN named n ON n.doc = f.doc AND f.tied) f
         WHERE f.rank <= fuse_runs.depth
         GROUP BY f.query, list_part(f.rank) ORDER BY 2, 3;
    END LOOP;
    SELECT count(*) FILTER (WHERE l.first = 1), coalesce(sum(cardinality(l.docs)), 0) INTO queries, ranked
      FROM ranked_lists l WHERE l.run = run_id;
    IF ranked = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('none of the runs %s has a document',
                                                                  array_to_string(fuse_runs.runs, ', ')),
            HINT = '''stc show runs'' shows the number of documents of each run.';
    END IF;
    PERFORM record_run(run_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.fuse_runs(text, text[], text, text, jsonb, integer, integer, boolean) IS
'Fuse stored runs into a new run for all queries; returns the numbers of queries and documents ranked';
