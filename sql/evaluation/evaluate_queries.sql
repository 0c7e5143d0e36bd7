-- evaluate_queries: the measures of evaluate for every eighth of some queries of an edition, beginning with number share (1 to 8).
-- All by keys; arguments are taken as checked.
--
-- The judgments drive: the judged documents of a query are looked up in the index (query, doc, run) of the rankings, so what nobody
-- judged is never read. What is found becomes one sorted array of places for the query,
--
--   place = run · 2^47 + (1 if relevant, else 0) · 2^46 + rank · 2^15 + rel      (run modulo 2^17, a batch)
--
-- in which the relevant documents of a run stand together in their order, and so do those judged not relevant. How many are up to a
-- bound is then one binary search (width_bucket). The i-th relevant one of a run, at rank r, has precision i / r.
--
-- Where less than a quarter of the runs is asked for, their rankings drive instead: it reads less.
--
-- The settings pin the plan: index scans, loops only where one level needs the other, hashing for the rest, also without statistics.
-- OFFSET 0 has a level computed once, and not anew wherever it is named.
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
        SELECT ranked.run, wanted.query, top.cutoff,
               coalesce(top.dcg / top.ideal, 0),
               coalesce(top.hits / top.cutoff::double precision, 0),
               coalesce(top.hits / judged.relevant, 0),
               coalesce(1 / (ranked.relevant[1] >> 15 & 2147483647)::double precision, 0),
               coalesce(all_of.precisions / judged.relevant, 0),
               coalesce((cardinality(ranked.relevant) - coalesce(all_of.above / least(judged.relevant, judged.not_relevant), 0))
                        / judged.relevant, 0)
          FROM (SELECT id AS query FROM unnest(evaluate_queries.queries) WITH ORDINALITY AS w(id, number)
                 WHERE number % 8 = evaluate_queries.share % 8) wanted
         CROSS JOIN LATERAL (
               SELECT array_agg(j.doc) AS docs, array_agg(j.rel) AS rels,
                      nullif(count(*) FILTER (WHERE j.rel > 0), 0)::double precision AS relevant,
                      nullif(count(*) FILTER (WHERE j.rel = 0), 0)::double precision AS not_relevant
                 FROM qrels j
                WHERE j.edition = evaluate_queries.edition AND j.query = wanted.query AND j.rel >= 0) judged
         CROSS JOIN LATERAL (
               SELECT array_agg((SELECT sum(b.rel / ln(b.rank + 1::double precision))
                                   FROM (SELECT unnest(best.rels[:c.cutoff]) AS rel,
                                                generate_series(1, least(c.cutoff, cardinality(best.rels))) AS rank) b)) AS dcgs
                 FROM (SELECT ARRAY(SELECT unnest(judged.rels) ORDER BY 1 DESC) AS rels OFFSET 0) best,
                      unnest(evaluate_queries.cutoffs) AS c(cutoff)) ideal
         CROSS JOIN LATERAL (
               SELECT CASE WHEN by_run THEN ARRAY(
                      SELECT (r.run::bigint << 47) | (k.rank::bigint << 15) | (CASE WHEN j.rel > 0 THEN 1::bigint << 46 ELSE 0 END) | j.rel
                        FROM unnest(batch) AS r(run)
                       CROSS JOIN LATERAL (
                             SELECT k.rank, k.doc FROM st1_rankings k WHERE k.query = wanted.query AND k.run = r.run OFFSET 0) k
                        JOIN unnest(judged.docs, judged.rels) AS j(doc, rel) ON j.doc = k.doc
                       ORDER BY 1)
                 ELSE ARRAY(
                      SELECT (k.run::bigint << 47) | (k.rank::bigint << 15) | j.class
                        FROM (SELECT (CASE WHEN j.rel > 0 THEN 1::bigint << 46 ELSE 0 END) | j.rel AS class, array_agg(j.doc) AS docs
                                FROM unnest(judged.docs, judged.rels) AS j(doc, rel) GROUP BY j.rel) j
                       CROSS JOIN LATERAL (
                             SELECT k.run, k.rank FROM st1_rankings k WHERE k.query = wanted.query AND k.doc = ANY (j.docs) OFFSET 0) k
                       ORDER BY 1)
                  END AS places OFFSET 0) found
         CROSS JOIN LATERAL (  -- the part of each run; bpref wants no more not relevant ones than there are relevant
               SELECT r.run, r.base, found.places[r.low + 1:least(r.middle, r.low + judged.relevant::integer)] AS not_relevant,
                      found.places[r.middle + 1:r.high] AS relevant
                 FROM (SELECT r.run, r.base, width_bucket(r.base, found.places) AS low,
                              width_bucket(r.base + (1::bigint << 46), found.places) AS middle,
                              width_bucket(r.base + ((1::bigint << 47) - 1), found.places) AS high
                         FROM (SELECT run, run::bigint << 47 AS base FROM unnest(batch) AS run OFFSET 0) r OFFSET 0) r
                WHERE evaluate_queries.complete OR r.low < r.high
                   OR EXISTS (SELECT FROM st1_rankings k WHERE k.run = r.run AND k.query = wanted.query)
               OFFSET 0) ranked
         CROSS JOIN LATERAL (
               SELECT sum(r.i / (r.place >> 15 & 2147483647)::double precision) AS precisions,
                      sum(width_bucket(r.place - (1::bigint << 46), ranked.not_relevant)) AS above
                 FROM (SELECT unnest(ranked.relevant) AS place, generate_series(1, cardinality(ranked.relevant)) AS i) r) all_of
         CROSS JOIN LATERAL (
               SELECT c.cutoff, c.ideal, c.hits,
                      (SELECT sum((r.place & 32767) / ln((r.place >> 15 & 2147483647) + 1::double precision))
                         FROM (SELECT unnest(ranked.relevant[:c.hits]) AS place) r) AS dcg
                 FROM (SELECT c.cutoff, c.ideal,
                              width_bucket(ranked.base + (1::bigint << 46) + ((c.cutoff::bigint + 1 << 15) - 1), ranked.relevant) AS hits
                         FROM (SELECT unnest(evaluate_queries.cutoffs) AS cutoff, unnest(ideal.dcgs) AS ideal) c OFFSET 0) c) top;
    END LOOP;
END
$$;
COMMENT ON FUNCTION evaluate_queries(integer, integer, integer[], integer[], integer[], boolean) IS
    'The measures of evaluate for every eighth of some queries, all by keys; see evaluate';
