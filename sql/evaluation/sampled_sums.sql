-- sampled_sums: ipw_P, ipw_R, ipw_nDCG or infNDCG of runs, estimated from a sample, with variances (sampled_variance):
-- one row per run and query; all values are keys. kind is the measure's in measure_kinds, depth its cutoff or else
-- max_rank.
--
-- N is the size of a stratum, n the number of judged documents in it, m the number of its documents that the run has in
-- the first depth ranks, a the value of a judged document: 1 / k (ipw_P), 1 (ipw_R), or its gain / log2(r + 1).
--
--   ipw_…     sum over strata of N / n · sum of a (Horvitz & Thompson, JASA 47, 1952)
--   infNDCG   sum over strata of m · mean of a over the judged documents that the run has (Yilmaz, Kanoulas & Aslam,
--             SIGIR 2008)
--
-- divided by 1 (ipw_P), by the estimated number of relevant documents (ipw_R), or by the estimated DCG of the ideal
-- ranking (sampled_ideals); if pooled, by the mean of these over the queries.
--
-- The DCG of the ideal ranking is not linear in the numbers of relevant documents, so the linearised variance is of no
-- use: 95 % intervals from it contained the value from all judgments in 0 to 5 % of the samples of Cranfield. The
-- variance of infNDCG and ipw_nDCG is NULL, unless each stratum of the query is judged whole.
CREATE OR REPLACE FUNCTION sampled_sums(
    kind text, edition integer, queries integer[], runs integer[], depth integer, level integer, max_rank integer,
    pooled boolean)
RETURNS TABLE (run integer, query integer, value double precision, variance double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
SET enable_nestloop = off  -- the sizes of the parts are unknown to the planner
AS $$
    WITH ideals AS MATERIALIZED (
        SELECT i.* FROM sampled_ideals(sampled_sums.edition, sampled_sums.queries, sampled_sums.depth,
                                       sampled_sums.kind = 'infndcg') i
         WHERE sampled_sums.kind IN ('infndcg', 'ipw_ndcg')),
    documents AS MATERIALIZED (
        SELECT d.*, CASE sampled_sums.kind WHEN 'ipw_recall' THEN (d.rel >= level)::integer ELSE 0 END AS b
          FROM sampled_documents(sampled_sums.edition, sampled_sums.queries) d),
    strata AS MATERIALIZED (
        SELECT d.query, d.stratum, min(d.size) AS size, min(d.judged) AS judged,
               sum(d.b) FILTER (WHERE d.rel >= 0) AS b1, sum(d.b * d.b) FILTER (WHERE d.rel >= 0) AS b2
          FROM documents d GROUP BY d.query, d.stratum),
    own_divisors AS (
        SELECT s.query, CASE sampled_sums.kind WHEN 'ipw_p' THEN 1 WHEN 'ipw_recall' THEN sum(s.b1 * s.size / s.judged)
                                               ELSE min(i.ideal) END AS divisor
          FROM strata s LEFT JOIN ideals i USING (query)
         GROUP BY s.query),
    divisors AS (
        SELECT o.query, CASE WHEN pooled THEN avg(coalesce(o.divisor, 0)) OVER () ELSE o.divisor END AS divisor,
               count(*) OVER () AS queries
          FROM own_divisors o),
    ranked AS (
        SELECT l.run, d.query, d.stratum, d.rel, d.b, l.first - 1 + u.place AS rank
          FROM ranked_lists l
         CROSS JOIN LATERAL unnest(l.docs) WITH ORDINALITY AS u (doc, place)
          JOIN documents d ON d.query = l.query AND d.doc = u.doc
         WHERE l.run = ANY (sampled_sums.runs) AND l.query = ANY (sampled_sums.queries)
           AND l.first - 1 + u.place <= least(sampled_sums.depth, sampled_sums.max_rank)),
    found AS MATERIALIZED (
        SELECT r.run, r.query, r.stratum, count(*)::double precision AS m, count(r.rel)::double precision AS found,
               sum(a.a) AS a1, sum(a.a * a.a) AS a2, sum(a.a * r.b) AS ab
          FROM ranked r
         CROSS JOIN LATERAL (
               SELECT CASE WHEN r.rel >= 0 THEN
                          CASE sampled_sums.kind WHEN 'ipw_p' THEN (r.rel >= level)::integer / depth::double precision
                                                 WHEN 'ipw_recall' THEN (r.rel >= level)::integer
                                                 ELSE r.rel * ln(2::double precision) / ln(r.rank + 1::double precision)
                          END END AS a) a
         GROUP BY r.run, r.query, r.stratum),
    parts AS MATERIALIZED (
        SELECT u.run, s.*, v.divisor, p.numerator, f.a1, f.a2, f.ab,
               sum(p.numerator) OVER (PARTITION BY u.run, s.query) / nullif(v.divisor, 0) AS value,
               CASE WHEN pooled THEN sum(p.numerator) OVER (PARTITION BY u.run) / v.queries
                    ELSE sum(p.numerator) OVER (PARTITION BY u.run, s.query) END / nullif(v.divisor, 0) AS ratio
          FROM unnest(sampled_sums.runs) AS u (run)
         CROSS JOIN strata s
          JOIN divisors v ON v.query = s.query
          LEFT JOIN found f ON f.run = u.run AND f.query = s.query AND f.stratum = s.stratum
         CROSS JOIN LATERAL (SELECT CASE sampled_sums.kind WHEN 'infndcg' THEN f.m * f.a1 / nullif(f.found, 0)
                                                           ELSE f.a1 * s.size / nullif(s.judged, 0) END AS numerator) p)
    SELECT p.run, p.query, coalesce(min(p.value), 0),
           CASE WHEN sampled_sums.kind IN ('ipw_p', 'ipw_recall') OR bool_and(p.judged = p.size) THEN
               sum(sampled_variance(p.size, p.judged, coalesce(p.a1, 0), coalesce(p.a2, 0), coalesce(p.ab, 0), p.b1,
                                    p.b2, coalesce(p.ratio, 0), p.divisor)) END
      FROM parts p GROUP BY p.run, p.query
$$;
COMMENT ON FUNCTION sampled_sums(text, integer, integer[], integer[], integer, integer, integer, boolean) IS
    'ipw_P, ipw_R, ipw_nDCG or infNDCG of runs, estimated from a sample, with the variances of the estimates';
