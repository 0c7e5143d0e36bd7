-- tau_ap: AP rank correlation of an estimated ranking with the true one, both as scores paired by place (larger is
-- better); in [-1, 1]. An error near the top of the estimate weighs more than one below.
--
--   tau_ap = 2 / n' · sum over items i of C(i) / A(i)  -  1
--
-- A(i): how many items the estimate ranks above i, those tied with i excluded; C(i): how many of these are truly better
-- than i; n': items that are not tied with the first. Without ties this is the coefficient of Yilmaz, Aslam & Robertson
-- (SIGIR 2008). With ties it is the one-sided term of tau_ap,b of Urbano & Marrero (ICTIR 2017): the mean of tau_ap(x,
-- y) and tau_ap(y, x) is their tau_ap,b, as R's ircor::tauAP_b. So equal rankings give 1, also with ties; a pair that
-- is tied in the truth alone counts as an error. It is not symmetric: estimate is the ranking that is walked down. NULL
-- in either list leaves the place out. NULL for fewer than two places, and where either list ranks all alike.
CREATE OR REPLACE FUNCTION tau_ap(truth double precision[], estimate double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    WITH paired AS MATERIALIZED (
        SELECT p.truth, p.estimate FROM unnest(tau_ap.truth, tau_ap.estimate) AS p (truth, estimate)
         WHERE p.truth IS NOT NULL AND p.estimate IS NOT NULL)
    SELECT CASE WHEN min(p.truth) < max(p.truth) THEN 2 * avg(a.better / nullif(a.above, 0)::double precision) - 1 END
      FROM paired p
     CROSS JOIN LATERAL (SELECT count(*) AS above, count(*) FILTER (WHERE o.truth > p.truth) AS better
                           FROM paired o WHERE o.estimate > p.estimate) a
$$;
COMMENT ON FUNCTION tau_ap(double precision[], double precision[]) IS
'AP rank correlation of an estimated ranking with the true one, scores paired by place; ties as in tau_ap,b; in [-1, '
'1]';
