-- sampled_precisions: xinfAP of runs, average precision estimated from a sample, with variances: one row per run and
-- query; all values are keys.
--
-- Extended inferred AP (Yilmaz, Kanoulas & Aslam, A Simple and Efficient Sampling Method for Estimating AP and NDCG,
-- SIGIR 2008). With N the size of a stratum and n the number of judged documents in it,
--
--   xinfAP = sum over the relevant judged documents that the run has of N / n · p, divided by R
--   p      = 1 / r + 1 / r · sum over strata of m (k + e) / (j + 3 e), e = 0.00001
--   R      = sum over strata of N / n · relevant judged documents
--
-- where r is the document's rank, and above it the run has m documents of the stratum, j of them judged and k relevant.
-- If R exceeds max_rank, the divisor is max_rank. Equal to infAP of NIST's sample_eval. If pooled, the divisor is the
-- mean of R over the queries.
--
-- In the variance (sampled_variance) a judged document counts by p if it is relevant, and by its effect on the
-- precision at the relevant documents below it.
CREATE OR REPLACE FUNCTION sampled_precisions(
    edition integer, queries integer[], runs integer[], max_rank integer, level integer, pooled boolean)
RETURNS TABLE (run integer, query integer, value double precision, variance double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
SET enable_nestloop = off  -- the sizes of the parts are unknown to the planner
AS $$
    WITH documents AS MATERIALIZED (
        SELECT d.query, d.doc, d.rel, d.size, d.judged,
               coalesce(d.rel >= sampled_precisions.level, false)::integer AS relevant,
               d.size / nullif(d.judged, 0) AS weight, dense_rank() OVER (ORDER BY d.stratum) AS stratum
          FROM sampled_documents(sampled_precisions.edition, sampled_precisions.queries) d),
    strata AS MATERIALIZED (
        SELECT d.query, d.stratum, min(d.size) AS size, min(d.judged) AS judged, min(d.weight) AS weight,
               sum(d.relevant)::double precision AS relevant
          FROM documents d GROUP BY d.query, d.stratum),
    own_divisors AS (
        SELECT s.query, least(sum(s.relevant * s.weight), sampled_precisions.max_rank) AS divisor,
               (sum(s.relevant * s.weight) <= sampled_precisions.max_rank)::integer AS estimated
          FROM strata s GROUP BY s.query),
    divisors AS (
        SELECT o.query, CASE WHEN pooled THEN avg(coalesce(o.divisor, 0)) OVER () ELSE o.divisor END AS divisor,
               o.estimated, count(*) OVER () AS queries
          FROM own_divisors o),
    above AS MATERIALIZED (  -- for each document and stratum, what is above the document
        SELECT l.run, d.query, d.doc, d.rel, d.relevant, d.weight, r.rank, s.stratum, s.stratum = d.stratum AS own,
               s.weight AS of_stratum,
               count(*) FILTER (WHERE s.stratum = d.stratum) OVER higher AS m,
               count(d.rel) FILTER (WHERE s.stratum = d.stratum) OVER higher AS j,
               coalesce(sum(d.relevant) FILTER (WHERE s.stratum = d.stratum) OVER higher, 0) AS k
          FROM ranked_lists l
         CROSS JOIN LATERAL unnest(l.docs) WITH ORDINALITY AS u (doc, place)
         CROSS JOIN LATERAL (SELECT (l.first - 1 + u.place)::double precision AS rank) r
          JOIN documents d ON d.query = l.query AND d.doc = u.doc
          JOIN strata s ON s.query = d.query
         WHERE l.run = ANY (sampled_precisions.runs) AND l.query = ANY (sampled_precisions.queries)
           AND r.rank <= sampled_precisions.max_rank
        WINDOW higher AS (PARTITION BY l.run, d.query, s.stratum ORDER BY r.rank
                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
    effects AS (
        SELECT a.run, a.query, a.doc, a.rel, a.stratum, a.relevant, a.weight, a.rank, a.own,
               a.m * (a.k + 0.00001) / (a.j + 0.00003) AS above,
               a.relevant * (sum(w.w) OVER list - sum(w.w) OVER upto)
               - (sum(w.w * a.k / w.j) OVER list - sum(w.w * a.k / w.j) OVER upto) AS effect
          FROM above a
         CROSS JOIN LATERAL (SELECT greatest(a.j, 1) AS j,
                                    CASE WHEN a.relevant = 1 AND a.j > 0
                                         THEN a.weight * a.m / (a.rank * a.of_stratum * a.j) ELSE 0 END AS w) w
        WINDOW list AS (PARTITION BY a.run, a.query, a.stratum),
               upto AS (PARTITION BY a.run, a.query, a.stratum ORDER BY a.rank ROWS UNBOUNDED PRECEDING)),
    gains AS (
        SELECT e.run, e.query, min(e.stratum) FILTER (WHERE e.own) AS stratum, e.relevant, e.weight,
               e.relevant * (1 + sum(e.above)) / e.rank AS p,
               coalesce(max(e.effect) FILTER (WHERE e.own), 0) AS effect
          FROM effects e WHERE e.rel IS NOT NULL GROUP BY e.run, e.query, e.doc, e.relevant, e.weight, e.rank),
    found AS MATERIALIZED (
        SELECT g.run, g.query, g.stratum, sum(g.weight * g.p) AS numerator, sum(g.p + g.effect) AS g1,
               sum((g.p + g.effect) ^ 2) AS g2, sum((g.p + g.effect) * g.relevant) AS gb
          FROM gains g GROUP BY g.run, g.query, g.stratum),
    parts AS (
        SELECT u.run, s.*, v.divisor, v.estimated, f.g1, f.g2, f.gb,
               sum(f.numerator) OVER (PARTITION BY u.run, s.query) / nullif(v.divisor, 0) AS value,
               CASE WHEN pooled THEN sum(f.numerator) OVER (PARTITION BY u.run) / v.queries
                    ELSE sum(f.numerator) OVER (PARTITION BY u.run, s.query) END / nullif(v.divisor, 0) AS ratio
          FROM unnest(sampled_precisions.runs) AS u (run)
         CROSS JOIN strata s
          JOIN divisors v ON v.query = s.query
          LEFT JOIN found f ON f.run = u.run AND f.query = s.query AND f.stratum = s.stratum)
    SELECT p.run, p.query, coalesce(min(p.value), 0),
           sum(sampled_variance(p.size, p.judged, coalesce(p.g1, 0), coalesce(p.g2, 0), coalesce(p.gb, 0) * p.estimated,
                                p.relevant * p.estimated, p.relevant * p.estimated, coalesce(p.ratio, 0), p.divisor))
      FROM parts p GROUP BY p.run, p.query
$$;
COMMENT ON FUNCTION sampled_precisions(integer, integer[], integer[], integer, integer, boolean) IS
    'xinfAP of runs, average precision estimated from a sample, with the variances of the estimates';
