-- sampled_sums: ipw_P, ipw_R, ipw_nDCG or infNDCG of runs, estimated from a sample, with standard errors: one row per
-- run and query; all values are keys. kind is the measure's in measure_kinds, depth its cutoff or else max_rank.
--
-- N is the size of a stratum, n the number of judged documents in it, m the number of its documents that the run has in
-- the first depth ranks, a the value of a judged document: 1 / k (ipw_P), 1 (ipw_R), or its gain / log2(r + 1).
--
--   ipw_…     sum over strata of N / n · sum of a (Horvitz & Thompson, JASA 47, 1952)
--   infNDCG   sum over strata of m · mean of a over the judged documents that the run has (Yilmaz, Kanoulas & Aslam,
--             SIGIR 2008)
--
-- divided by 1 (ipw_P), by the estimated number of relevant documents (ipw_R), or by the estimated DCG of the ideal
-- ranking (sampled_ideals). The standard error is that of the linearised ratio: with z the effect of a document on the
-- value, the variance is the sum over strata of N² (1 - n / N) s² / n, s² the variance of z over the n documents
-- (Särndal, Swensson & Wretman, Model Assisted Survey Sampling, 1992, sections 3.7 and 5.5). A stratum with one judged
-- document has s² = z².
CREATE OR REPLACE FUNCTION sampled_sums(
    kind text, edition integer, queries integer[], runs integer[], depth integer, level integer,
    max_rank integer)
RETURNS TABLE (run integer, query integer, value double precision, variance double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH documents AS MATERIALIZED (
        SELECT d.* FROM sampled_documents(sampled_sums.edition, sampled_sums.queries) d),
    totals AS MATERIALIZED (
        SELECT d.query, sum(d.size / d.judged) FILTER (WHERE d.rel >= sampled_sums.level) AS relevant
          FROM documents d GROUP BY d.query),
    ideals AS MATERIALIZED (
        SELECT i.* FROM sampled_ideals(sampled_sums.edition, sampled_sums.queries, sampled_sums.depth,
                                       sampled_sums.kind = 'infndcg') i
         WHERE sampled_sums.kind IN ('infndcg', 'ipw_ndcg')),
    parts AS (
        SELECT u.run, d.*, k.rank,
               CASE WHEN k.rank IS NULL OR d.rel IS NULL THEN 0
                    WHEN sampled_sums.kind = 'ipw_p' THEN (d.rel >= sampled_sums.level)::integer / depth::double precision
                    WHEN sampled_sums.kind = 'ipw_recall' THEN (d.rel >= sampled_sums.level)::integer
                    ELSE d.rel * ln(2::double precision) / ln(k.rank + 1::double precision) END AS a,
               CASE sampled_sums.kind WHEN 'ipw_p' THEN 1 WHEN 'ipw_recall' THEN t.relevant
                    ELSE (SELECT min(i.ideal) FROM ideals i WHERE i.query = d.query) END AS divisor
          FROM unnest(sampled_sums.runs) AS u (run)
         CROSS JOIN documents d
          JOIN totals t ON t.query = d.query
          LEFT JOIN st1_rankings k ON k.run = u.run AND k.query = d.query AND k.doc = d.doc
                                  AND k.rank <= least(sampled_sums.depth, sampled_sums.max_rank)),
    means AS MATERIALIZED (
        SELECT p.*, count(p.rank) OVER stratum AS m, count(p.rank) FILTER (WHERE p.rel IS NOT NULL) OVER stratum AS found,
               sum(p.a) OVER stratum AS total
          FROM parts p WINDOW stratum AS (PARTITION BY p.run, p.query, p.stratum)),
    estimates AS MATERIALIZED (
        SELECT e.run, e.query, coalesce(sum(CASE WHEN sampled_sums.kind = 'infndcg' THEN e.m * e.total / nullif(e.found, 0)
                                                 ELSE e.total * e.size / nullif(e.judged, 0) END)
                                            / nullif(max(e.divisor), 0), 0) AS value
          FROM (SELECT DISTINCT n.run, n.query, n.stratum, n.m, n.total, n.found, n.size, n.judged, n.divisor
                  FROM means n) e
         GROUP BY e.run, e.query)
    SELECT v.run, v.query, v.value, coalesce(sum(v.variance), 0)
      FROM (SELECT e.run, e.query, e.value,
                   n.size * (n.size - n.judged) / n.judged * coalesce(var_samp(z.z), max(z.z * z.z)) AS variance
              FROM estimates e
              JOIN means n ON n.run = e.run AND n.query = e.query AND n.rel IS NOT NULL
              LEFT JOIN ideals i ON i.query = n.query AND i.grade = n.rel
             CROSS JOIN LATERAL (
                   SELECT (CASE WHEN sampled_sums.kind <> 'infndcg' THEN n.a
                                WHEN n.rank IS NULL THEN 0
                                ELSE (n.a - n.total / n.found) * n.m * n.judged / (n.size * n.found) END
                           - e.value * CASE sampled_sums.kind WHEN 'ipw_p' THEN 0
                                            WHEN 'ipw_recall' THEN (n.rel >= sampled_sums.level)::integer
                                            ELSE coalesce(i.slope, 0) END) / nullif(n.divisor, 0) AS z) z
             GROUP BY e.run, e.query, e.value, n.stratum, n.size, n.judged) v
     GROUP BY v.run, v.query, v.value
     UNION ALL
    SELECT e.run, e.query, e.value, 0 FROM estimates e
     WHERE NOT EXISTS (SELECT FROM documents d WHERE d.query = e.query AND d.rel IS NOT NULL)
$$;
COMMENT ON FUNCTION sampled_sums(text, integer, integer[], integer[], integer, integer, integer) IS
    'ipw_P, ipw_R, ipw_nDCG or infNDCG of runs, estimated from a sample, with the variances of the estimates';
