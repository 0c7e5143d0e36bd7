-- label_residuals: for each run, the value that machine labels would give it if they treated it like the other runs,
-- in the order of the arguments.
--
-- The values by the labels (y) of the n - 1 other runs are regressed on their values by people (x). For the run itself
--
--   expected = a + b x,  t = (y - expected) / (s sqrt(1 + 1/(n - 1) + (x - mean)² / Sxx)),  n - 3 degrees of freedom
--   p        two-sided, times n: Bonferroni's correction for testing every run
--   low, high  expected -/+ the quantile of t for alpha / n: the run is outside if p < alpha
--
-- (externally studentised residuals: Cook & Weisberg, Residuals and Influence in Regression, 1982). A run above its
-- interval is favoured by the labels, as one that uses the judging model can be (Clarke & Dietz, LLM-based relevance
-- assessment still can't replace human relevance assessment, 2024). NULL for fewer than four runs, or if the others
-- have equal values by people.
-- Raises IR201 alpha outside 0 to 1.
CREATE OR REPLACE FUNCTION label_residuals(people double precision[], labels double precision[],
                                           alpha double precision DEFAULT 0.05)
RETURNS TABLE (place bigint, expected double precision, low double precision, high double precision,
               p double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    n CONSTANT integer := cardinality(label_residuals.people);
    quantile double precision;
BEGIN
    IF label_residuals.alpha IS NULL OR label_residuals.alpha <= 0 OR label_residuals.alpha >= 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('alpha is %s', coalesce(label_residuals.alpha::text, 'NULL')),
            HINT = 'Use a number between 0 and 1, such as 0.05.';
    END IF;
    quantile := student_t_quantile(1 - label_residuals.alpha / (2 * n), n - 3);
    RETURN QUERY
    WITH run AS MATERIALIZED (
        SELECT u.place, u.x, u.y
          FROM unnest(label_residuals.people, label_residuals.labels) WITH ORDINALITY AS u (x, y, place)),
    fit AS (
        SELECT r.place, r.x, r.y, o.*, sqrt(greatest(o.syy - o.slope * o.sxy, 0) / nullif(n - 3, 0)
                                            * (1 + 1 / (n - 1)::double precision + (r.x - o.mean_x) ^ 2 / o.sxx)) AS se
          FROM run r
         CROSS JOIN LATERAL (
               SELECT avg(a.x) AS mean_x, avg(a.y) AS mean_y, nullif(regr_sxx(a.y, a.x), 0) AS sxx,
                      regr_syy(a.y, a.x) AS syy, regr_sxy(a.y, a.x) AS sxy, regr_slope(a.y, a.x) AS slope
                 FROM run a WHERE a.place <> r.place) o
         WHERE n >= 4),
    line AS (SELECT f.*, f.mean_y + f.slope * (f.x - f.mean_x) AS expected FROM fit f)
    SELECT r.place, l.expected, l.expected - quantile * l.se, l.expected + quantile * l.se,
           CASE WHEN l.se IS NULL THEN NULL
                WHEN abs(l.y - l.expected) < 1e-12 THEN 1  -- a perfect fit: rounding errors
                WHEN l.se < 1e-12 THEN 0
                ELSE least(1, n * student_t_p((l.y - l.expected) / l.se, n - 3)) END
      FROM run r LEFT JOIN line l ON l.place = r.place ORDER BY r.place;
END
$$;
COMMENT ON FUNCTION label_residuals(double precision[], double precision[], double precision) IS
    'Values of runs by machine labels, as expected from the values by people and the other runs, with an interval and '
    'a corrected p';
