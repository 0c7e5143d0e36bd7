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
-- If R exceeds max_rank, the divisor is max_rank. Equal to infAP of NIST's sample_eval.
--
-- The variance is that of the linearised ratio, as in sampled_sums: a relevant document adds its own p, less the value,
-- and each judged document changes the precision at the relevant ones below it.
CREATE OR REPLACE FUNCTION sampled_precisions(
    edition integer, queries integer[], runs integer[], max_rank integer, level integer)
RETURNS TABLE (run integer, query integer, value double precision, variance double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH documents AS MATERIALIZED (
        SELECT d.*, d.rel >= sampled_precisions.level AS relevant, d.size / nullif(d.judged, 0) AS weight
          FROM sampled_documents(sampled_precisions.edition, sampled_precisions.queries) d),
    totals AS MATERIALIZED (
        SELECT d.query, coalesce(sum(d.weight) FILTER (WHERE d.relevant), 0) AS relevant,
               sum(d.weight) FILTER (WHERE d.relevant) > sampled_precisions.max_rank AS capped
          FROM documents d GROUP BY d.query),
    strata AS MATERIALIZED (SELECT DISTINCT d.query, d.stratum, d.weight FROM documents d),
    ranked AS MATERIALIZED (
        SELECT u.run, d.*, k.rank
          FROM unnest(sampled_precisions.runs) AS u (run)
         CROSS JOIN documents d
          JOIN st1_rankings k ON k.run = u.run AND k.query = d.query AND k.doc = d.doc
                             AND k.rank <= sampled_precisions.max_rank),
    above AS MATERIALIZED (  -- for each document and stratum, what is above the document
        SELECT r.run, r.query, r.doc, r.rank, r.relevant, r.weight, s.stratum, s.stratum = r.stratum AS own,
               s.weight AS of_stratum, count(*) FILTER (WHERE r.stratum = s.stratum) OVER higher AS m,
               count(*) FILTER (WHERE r.stratum = s.stratum AND r.rel IS NOT NULL) OVER higher AS judged,
               (count(*) FILTER (WHERE r.stratum = s.stratum AND r.relevant) OVER higher + 0.00001)
               / (count(*) FILTER (WHERE r.stratum = s.stratum AND r.rel IS NOT NULL) OVER higher + 0.00003) AS share
          FROM ranked r
          JOIN strata s ON s.query = r.query
        WINDOW higher AS (PARTITION BY r.run, r.query, s.stratum ORDER BY r.rank
                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
    precisions AS MATERIALIZED (
        SELECT a.run, a.query, a.doc, a.weight,
               (1 + sum(a.m * a.share ORDER BY a.stratum)) / a.rank::double precision AS p
          FROM above a WHERE a.relevant GROUP BY a.run, a.query, a.doc, a.rank, a.weight),
    estimates AS MATERIALIZED (
        SELECT u.run, t.query, t.capped,
               nullif(CASE WHEN t.capped THEN sampled_precisions.max_rank ELSE t.relevant END, 0) AS divisor,
               coalesce((SELECT sum(p.weight * p.p) FROM precisions p WHERE p.run = u.run AND p.query = t.query)
                        / nullif(CASE WHEN t.capped THEN sampled_precisions.max_rank ELSE t.relevant END, 0), 0) AS value
          FROM unnest(sampled_precisions.runs) AS u (run) CROSS JOIN totals t),
    effects AS MATERIALIZED (  -- of a document on the relevant ones below it
        SELECT b.run, b.query, b.doc, coalesce(b.relevant::integer * b.below - b.share_below, 0) AS effect
          FROM (SELECT a.run, a.query, a.doc, a.relevant, a.own, sum(w.w) OVER lower AS below,
                       sum(w.w * a.share) OVER lower AS share_below
                  FROM above a
                 CROSS JOIN LATERAL (SELECT CASE WHEN a.relevant AND a.judged > 0
                                                 THEN a.weight / a.rank * a.m / (a.of_stratum * a.judged)
                                                 ELSE 0 END AS w) w
                WINDOW lower AS (PARTITION BY a.run, a.query, a.stratum ORDER BY a.rank
                                 ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)) b
         WHERE b.own)
    SELECT v.run, v.query, v.value, coalesce(sum(v.variance), 0)
      FROM (SELECT e.run, e.query, e.value,
                   d.size * (d.size - d.judged) / nullif(d.judged, 0) * coalesce(var_samp(z.z), max(z.z * z.z)) AS variance
              FROM estimates e
              LEFT JOIN documents d ON d.query = e.query AND d.rel IS NOT NULL
              LEFT JOIN precisions p ON p.run = e.run AND p.query = e.query AND p.doc = d.doc
              LEFT JOIN effects f ON f.run = e.run AND f.query = e.query AND f.doc = d.doc
             CROSS JOIN LATERAL (
                   SELECT (coalesce(p.p, 0) + coalesce(f.effect, 0)
                           - CASE WHEN d.relevant AND NOT e.capped THEN e.value ELSE 0 END) / e.divisor AS z) z
             GROUP BY e.run, e.query, e.value, d.stratum, d.size, d.judged) v
     GROUP BY v.run, v.query, v.value
$$;
COMMENT ON FUNCTION sampled_precisions(integer, integer[], integer[], integer, integer) IS
    'xinfAP of runs, average precision estimated from a sample, with the variances of the estimates';
