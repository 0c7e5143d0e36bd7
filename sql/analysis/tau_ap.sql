-- tau_ap: AP rank correlation of an estimated ranking with the true one; in [-1, 1]. Errors near the top of the
-- estimate weigh more.
--
--   tau_ap = 2 / n' · sum over items i of C(i) / A(i)  -  1
--
-- Both rankings are given as scores paired by position; larger is better. A(i) is the number of items that the estimate
-- ranks above i, excluding ties with i; C(i) is the number of these that are truly better than i; n' is the number of
-- items not tied with the first.
--
-- Without ties this is the coefficient of Yilmaz, Aslam & Robertson (SIGIR 2008). With ties it is the one-sided term of
-- tau_ap,b of Urbano & Marrero (ICTIR 2017): the mean of tau_ap(x, y) and tau_ap(y, x) is their tau_ap,b, as R's
-- ircor::tauAP_b. Equal rankings therefore give 1 even with ties; a pair tied only in the truth counts as an error. The
-- coefficient is not symmetric: estimate is the ranking that is traversed. Positions with NULL in either list are
-- skipped. NULL for fewer than two positions, and if either list is constant.
CREATE OR REPLACE FUNCTION tau_ap(truth double precision[], estimate double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH paired AS MATERIALIZED (
        SELECT p.truth, p.estimate FROM unnest(tau_ap.truth, tau_ap.estimate) AS p (truth, estimate)
         WHERE p.truth IS NOT NULL AND p.estimate IS NOT NULL)
    SELECT CASE WHEN min(p.truth) < max(p.truth) THEN 2 * avg(a.better / nullif(a.above, 0)::double precision) - 1 END
      FROM paired p
     CROSS JOIN LATERAL (SELECT count(*) AS above, count(*) FILTER (WHERE o.truth > p.truth) AS better
                           FROM paired o WHERE o.estimate > p.estimate) a
$$;
COMMENT ON FUNCTION tau_ap(double precision[], double precision[]) IS
    'AP rank correlation of an estimated ranking with the true one, from scores paired by position; ties as in '
    'tau_ap,b; in [-1, 1]';
