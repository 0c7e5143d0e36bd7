-- compare_rankings: agreement of an estimated ranking of runs with the true one, by several coefficients; one row.
--
--   kendall_tau, spearman, pearson   tau-b; rho with mean ranks for ties; r of the values
--   tau_ap, tau_ap_b  AP rank correlation, and the mean of it in both directions (Urbano & Marrero, ICTIR 2017)
--   tau_gap    pairs weighted by the gap of their true values: with the runs in the order of the estimate,
--              2 / m · sum over ranks i > 1 of (gaps of the pairs (j, i), j < i, in true order) / (all of their gaps)
--              - 1, over the m ranks with a gap (Gao & Oard, SIGIR 2015)
--   top_tau    tau-b among the top runs by the true values
--   rbo        rank-biased overlap, p = .9 (function rbo)
--
-- truth and estimate are values of the runs in the order of names; larger is better. A run with NULL in either is left
-- out. Equal values: names in the order of bytes. All are NULL for fewer than two runs.
CREATE OR REPLACE FUNCTION compare_rankings(names text[], truth double precision[], estimate double precision[],
                                            top integer DEFAULT 10)
RETURNS TABLE (kendall_tau double precision, spearman double precision, pearson double precision,
               tau_ap double precision, tau_ap_b double precision, tau_gap double precision, top_tau double precision,
               rbo double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH run AS MATERIALIZED (
        SELECT u.name COLLATE "C" AS name, u.truth AS x, u.estimate AS y,
               row_number() OVER (ORDER BY u.truth DESC, u.name COLLATE "C") AS by_truth,
               row_number() OVER (ORDER BY u.estimate DESC, u.name COLLATE "C") AS by_estimate,
               (rank() OVER (ORDER BY u.truth) + count(*) OVER (ORDER BY u.truth)) / 2.0::double precision AS rank_x,
               (rank() OVER (ORDER BY u.estimate) + count(*) OVER (ORDER BY u.estimate)) / 2.0::double precision
               AS rank_y
          FROM unnest(compare_rankings.names, compare_rankings.truth, compare_rankings.estimate)
               AS u (name, truth, estimate)
         WHERE u.truth IS NOT NULL AND u.estimate IS NOT NULL),
    listed AS (
        SELECT array_agg(r.x ORDER BY r.name) AS x, array_agg(r.y ORDER BY r.name) AS y,
               corr(r.rank_x, r.rank_y) AS rho, corr(r.x, r.y) AS pearson,
               array_agg(r.name ORDER BY r.by_truth) AS true_order,
               array_agg(r.name ORDER BY r.by_estimate) AS order_found,
               array_agg(r.x ORDER BY r.name) FILTER (WHERE r.by_truth <= compare_rankings.top) AS top_x,
               array_agg(r.y ORDER BY r.name) FILTER (WHERE r.by_truth <= compare_rankings.top) AS top_y
          FROM run r),
    gap AS (
        SELECT 2 * avg(g.kept / nullif(g.whole, 0)) - 1 AS value
          FROM run r
         CROSS JOIN LATERAL (SELECT sum(abs(a.x - r.x)) AS whole, sum(greatest(a.x - r.x, 0)) AS kept
                               FROM run a WHERE a.by_estimate < r.by_estimate) g)
    SELECT kendall_tau(l.x, l.y), l.rho, l.pearson, tau_ap(l.x, l.y), (tau_ap(l.x, l.y) + tau_ap(l.y, l.x)) / 2,
           g.value, kendall_tau(l.top_x, l.top_y),
           CASE WHEN cardinality(l.x) > 1 THEN rbo(l.true_order::text[], l.order_found::text[]) END
      FROM listed l CROSS JOIN gap g
$$;
COMMENT ON FUNCTION compare_rankings(text[], double precision[], double precision[], integer) IS
    'Agreement of an estimated ranking of runs with the true one: tau, rho, r, tau_ap, tau_gap, tau among the top runs '
    'and rank-biased overlap';
