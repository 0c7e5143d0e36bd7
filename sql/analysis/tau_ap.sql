-- tau_ap: AP rank correlation of an estimated ranking with the true one, both as scores paired by place (larger is better); in [-1, 1],
-- NULL for fewer than two. An error near the top of the estimate weighs more than one below.
--
--   tau_ap = 2 / (n - 1) · sum over ranks i = 2 … n of the estimate of C(i) / (i - 1)  -  1,
--
-- C(i): how many of those ranked above i are truly better than the one at i (Yilmaz, Aslam & Robertson, SIGIR 2008). It is not
-- symmetric: estimate is the ranking that is walked down. Ties, in either list, take the mean over all orders they could be in (tau_ap,a
-- of Urbano & Marrero, ICTIR 2017). NULL in either list leaves the place out.
CREATE OR REPLACE FUNCTION tau_ap(truth double precision[], estimate double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
    WITH paired AS MATERIALIZED (
        SELECT p.truth, p.estimate FROM unnest(tau_ap.truth, tau_ap.estimate) AS p (truth, estimate)
         WHERE p.truth IS NOT NULL AND p.estimate IS NOT NULL),
    tied AS (  -- the groups of equal estimates: above is how many are ranked before, better the mean of those truly so
        SELECT p.estimate, count(*) AS size, avg(a.above) AS above, avg(a.better) AS better
          FROM paired p
         CROSS JOIN LATERAL (SELECT count(*) AS above, coalesce(sum((1 + sign(o.truth - p.truth)) / 2), 0) AS better
                               FROM paired o WHERE o.estimate > p.estimate) a
         GROUP BY p.estimate)
    SELECT 2 / nullif((SELECT count(*) FROM paired) - 1, 0)::double precision
           * sum((t.better + (j - 1) / 2.0::double precision) / (t.above + j - 1)) - 1
      FROM tied t CROSS JOIN LATERAL generate_series(1, t.size) AS j
     WHERE t.above + j > 1
$$;
COMMENT ON FUNCTION tau_ap(double precision[], double precision[]) IS
    'AP rank correlation of an estimated ranking with the true one, scores paired by place, ties averaged; in [-1, 1]';
