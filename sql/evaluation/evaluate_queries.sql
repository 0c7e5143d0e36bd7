-- evaluate_queries: the measures of evaluate for every eighth of some queries of an edition, from number share (0 to 7) on. All by
-- keys; arguments are taken as checked.
--
-- The judgments drive: the judged documents of a query are looked up in the index (query, doc, run) of the rankings, so what nobody
-- judged is never read. What is found becomes one sorted array of places for the query,
--
--   place = run · 2^47 + (1 if relevant, else 0) · 2^46 + rank · 2^15 + rel      (run modulo 2^17)
--
-- in which the relevant documents of a run stand together in their order, and so do those judged not relevant. How many of them are
-- above a bound is then one binary search (width_bucket). The i-th relevant one, at rank r, has precision i / r.
--
-- Where less than a quarter of the runs is asked for, their rankings drive instead: it reads less.
--
-- The settings pin the plan: index scans, loops only where one level needs the other, hashing for the rest, also without statistics.
CREATE OR REPLACE FUNCTION evaluate_queries(
    share integer, edition integer, queries integer[], runs integer[], cutoffs integer[], complete boolean)
RETURNS TABLE (run integer, query integer, cutoff integer, ndcg double precision, precision_at double precision, recall_at double precision,
               reciprocal_rank double precision, average_precision double precision, bpref double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_nestloop = off
SET enable_mergejoin = off
SET enable_sort = off
SET enable_incremental_sort = off
SET enable_memoize = off
AS $$
#variable_conflict use_column
DECLARE
    by_run CONSTANT boolean := (SELECT 4 * cardinality(evaluate_queries.runs) < count(*) OR max(id) - min(id) >= 1 << 17 FROM st1_runs);
    batch integer[];
BEGIN
    FOR batch IN SELECT array_agg(id) FROM unnest(evaluate_queries.runs) AS id GROUP BY id >> 17 LOOP
        RETURN QUERY
        SELECT s.run, wanted.query, at.cutoff,
               coalesce(at.dcg / at.ideal, 0),
               coalesce(at.hits / at.cutoff::double precision, 0),
               coalesce(at.hits / e.relevant, 0),
               coalesce(1 / (s.relevant[1] >> 15 & 2147483647)::double precision, 0),
               coalesce(m.precisions / e.relevant, 0),
               coalesce((cardinality(s.relevant) - coalesce(m.misplaced / least(e.relevant, e.not_relevant), 0)) / e.relevant, 0)
          FROM (SELECT id AS query FROM unnest(evaluate_queries.queries) WITH ORDINALITY AS w(id, number)
                 WHERE number % 8 = evaluate_queries.share) wanted
         CROSS JOIN LATERAL (  -- what the edition says on the query
               SELECT array_agg(j.doc) AS docs, array_agg(j.rel) AS rels,
                      nullif(count(*) FILTER (WHERE j.rel > 0), 0)::double precision AS relevant,
                      nullif(count(*) FILTER (WHERE j.rel = 0), 0)::double precision AS not_relevant
                 FROM qrels j
                WHERE j.edition = evaluate_queries.edition AND j.query = wanted.query AND j.rel >= 0) e
         CROSS JOIN LATERAL (
               SELECT array_agg((SELECT sum(g.rel / ln(g.rank + 1::double precision))
                                   FROM (SELECT unnest(b.rels[:c.cutoff]) AS rel,
                                                generate_series(1, least(c.cutoff, cardinality(b.rels))) AS rank) g)) AS ideals
                 FROM (SELECT ARRAY(SELECT unnest(e.rels) ORDER BY 1 DESC) AS rels OFFSET 0) b,
                      unnest(evaluate_queries.cutoffs) AS c(cutoff)) best
         CROSS JOIN LATERAL (
               SELECT CASE WHEN by_run THEN ARRAY(
                      SELECT (r.run::bigint << 47) | (k.rank::bigint << 15) | (CASE WHEN j.rel > 0 THEN 1::bigint << 46 ELSE 0 END) | j.rel
                        FROM unnest(batch) AS r(run)
                       CROSS JOIN LATERAL (
                             SELECT k.rank, k.doc FROM st1_rankings k WHERE k.query = wanted.query AND k.run = r.run OFFSET 0) k
                        JOIN unnest(e.docs, e.rels) AS j(doc, rel) ON j.doc = k.doc
                       ORDER BY 1)
                 ELSE ARRAY(
                      SELECT (k.run::bigint << 47) | (k.rank::bigint << 15) | g.base
                        FROM (SELECT (CASE WHEN j.rel > 0 THEN 1::bigint << 46 ELSE 0 END) | j.rel AS base, array_agg(j.doc) AS docs
                                FROM unnest(e.docs, e.rels) AS j(doc, rel) GROUP BY j.rel) g
                       CROSS JOIN LATERAL (
                             SELECT k.run, k.rank FROM st1_rankings k WHERE k.query = wanted.query AND k.doc = ANY (g.docs) OFFSET 0) k
                       ORDER BY 1)
                  END AS places OFFSET 0) p
         CROSS JOIN LATERAL (  -- the part of each run; of the not relevant ones, bpref wants as many as there are relevant
               SELECT b.run, b.base, p.places[b.low + 1:least(b.middle, b.low + e.relevant::integer)] AS not_relevant,
                      p.places[b.middle + 1:b.high] AS relevant
                 FROM (SELECT r.run, r.base, width_bucket(r.base, p.places) AS low,
                              width_bucket(r.base + (1::bigint << 46), p.places) AS middle,
                              width_bucket(r.base + ((1::bigint << 47) - 1), p.places) AS high
                         FROM (SELECT r.run, r.run::bigint << 47 AS base FROM unnest(batch) AS r(run) OFFSET 0) r OFFSET 0) b
                WHERE evaluate_queries.complete OR b.low < b.high
                   OR EXISTS (SELECT FROM st1_rankings k WHERE k.run = b.run AND k.query = wanted.query)
               OFFSET 0) s
         CROSS JOIN LATERAL (
               SELECT sum(r.i / (r.place >> 15 & 2147483647)::double precision) AS precisions,
                      sum(width_bucket(r.place - (1::bigint << 46), s.not_relevant)) AS misplaced
                 FROM (SELECT unnest(s.relevant) AS place, generate_series(1, cardinality(s.relevant)) AS i) r) m
         CROSS JOIN LATERAL (
               SELECT c.cutoff, c.ideal, c.hits,
                      (SELECT sum((r.place & 32767) / ln((r.place >> 15 & 2147483647) + 1::double precision))
                         FROM (SELECT unnest(s.relevant[:c.hits]) AS place) r) AS dcg
                 FROM (SELECT c.cutoff, c.ideal,
                              width_bucket(s.base + (1::bigint << 46) + (c.cutoff::bigint + 1 << 15) - 1, s.relevant) AS hits
                         FROM (SELECT unnest(evaluate_queries.cutoffs) AS cutoff, unnest(best.ideals) AS ideal) c OFFSET 0) c) at;
    END LOOP;
END
$$;
COMMENT ON FUNCTION evaluate_queries(integer, integer, integer[], integer[], integer[], boolean) IS
    'The measures of evaluate for every eighth of some queries, all by keys; see evaluate';
