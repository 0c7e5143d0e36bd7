-- corrected_mean: the mean of a value that people measured for a sample of items and a machine for all items, with its
-- interval, by prediction-powered inference with power tuning (Angelopoulos, Duchi & Zrnic, PPI++, 2023).
--
-- With y[i] the value by people and f[i] that by the machine of n sampled items, and g the N values by the machine of
-- the other items:
--
--   corrected = avg(y - weight f) + weight · avg(g)
--   se²       = var(y - weight f) / n + weight² · var(g) / N
--   weight    = cov(y, f) / ((1 + n / N) var of f and g together), between 0 and 1; 0 if they are constant or N is 0
--   low, high = corrected ± t · se, t the quantile of Student's t with n - 1 degrees of freedom
--
-- cov has the divisor n, var the number of values less 1. The interval is valid for any machine, if the items of people
-- are a random sample; the better the machine, the narrower it is.
--
--   by_labels  mean of f and g;  by_people  mean of y, and its standard error
--   worth      the number of items that people would have to measure for an interval as narrow: var(y) / se²
--
-- All NULL for fewer than two items. y and f must have the same length, and no NULL.
CREATE OR REPLACE FUNCTION corrected_mean(
    y double precision[], f double precision[], g double precision[], alpha double precision DEFAULT 0.05,
    OUT corrected double precision, OUT low double precision, OUT high double precision, OUT se double precision,
    OUT weight double precision, OUT by_labels double precision, OUT by_people double precision,
    OUT people_se double precision, OUT worth double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH sampled AS (
        SELECT count(*) AS n, avg(s.y) AS mean, avg(s.f) AS mean_f, var_samp(s.y) AS var_y, var_samp(s.f) AS var_f,
               covar_samp(s.y, s.f) AS cov, covar_pop(s.y, s.f) AS cov_pop
          FROM unnest(corrected_mean.y, corrected_mean.f) AS s (y, f)),
    rest AS (
        SELECT count(*) AS n, avg(o.g) AS mean, coalesce(var_samp(o.g), 0) AS var
          FROM unnest(corrected_mean.g) AS o (g)),
    machine AS (
        SELECT avg(m.f) AS mean, var_samp(m.f) AS var FROM unnest(corrected_mean.f || corrected_mean.g) AS m (f)),
    tuned AS (
        SELECT CASE WHEN r.n = 0 OR m.var = 0 THEN 0
                    ELSE greatest(0, least(1, s.cov_pop / ((1 + s.n::double precision / r.n) * m.var))) END AS weight
          FROM sampled s, rest r, machine m),
    estimated AS (
        SELECT s.mean - t.weight * (s.mean_f - coalesce(r.mean, s.mean_f)) AS corrected,
               sqrt(greatest(0, s.var_y - 2 * t.weight * s.cov + t.weight ^ 2 * s.var_f) / s.n
                    + t.weight ^ 2 * r.var / greatest(r.n, 1)) AS se,
               student_t_quantile(1 - corrected_mean.alpha / 2, s.n::integer - 1) AS quantile
          FROM sampled s, rest r, tuned t WHERE s.n > 1)
    SELECT e.corrected, e.corrected - e.quantile * e.se, e.corrected + e.quantile * e.se, e.se, t.weight, m.mean,
           s.mean, sqrt(s.var_y / s.n), s.var_y / nullif(e.se, 0) ^ 2
      FROM estimated e, tuned t, machine m, sampled s
$$;
COMMENT ON FUNCTION corrected_mean(double precision[], double precision[], double precision[], double precision) IS
    'The mean of a value that people measured for a sample and a machine for all, with its interval, by '
    'prediction-powered inference';
