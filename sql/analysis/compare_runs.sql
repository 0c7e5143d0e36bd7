-- compare_runs: compare pairs of runs by one measure: means, difference, paired t-test and p corrected for multiple
-- comparisons. Ordered by p, then by name.
--
--   t = difference / (sd / sqrt(queries)), sd the standard deviation of the differences by query,
--       queries - 1 degrees of freedom
--   d = difference / sd, Cohen's d of the paired differences
--   p_holm = the largest of (m - i + 1) p_i up to this p, p_i the i-th smallest of m
--            (Holm, Scand. J. Statist. 6, 1979)
--   p_bh   = the smallest of m p_i / i from this p upwards                  (Benjamini & Hochberg, JRSS B 57, 1995)
--
-- The family of tests consists of the returned pairs that have a p: for one measure, all pairs of runs, or all runs
-- against the baseline. If all differences are 0, p is 1. If all are equal but not 0, t is infinite, p is 0 and d is
-- NULL. With fewer than two queries no test is possible: p is NULL and the pair is not in the family. For other tests
-- and the confidence interval use stc compare. Arguments and errors are those of paired_scores: IR101, IR102,
-- IR103, IR108, IR202.
CREATE OR REPLACE FUNCTION public.compare_runs(
    edition text, measure text, runs text[] DEFAULT '{}', baseline text DEFAULT NULL, missing text DEFAULT 'zero',
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, against text, queries integer, mean double precision, mean_against double precision,
               difference double precision, sd double precision, d double precision, wins integer, ties integer,
               losses integer,
               t double precision, p double precision, p_holm double precision, p_bh double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    WITH pairs AS (
        SELECT p.run, p.against, count(p.difference)::integer AS queries, avg(p.difference) AS difference,
               avg(p.value) FILTER (WHERE p.difference IS NOT NULL) AS mean,
               avg(p.value_against) FILTER (WHERE p.difference IS NOT NULL) AS mean_against,
               CASE WHEN min(p.difference) = max(p.difference) AND count(p.difference) > 1 THEN 0
                    ELSE stddev_samp(p.difference) END AS sd,
               count(*) FILTER (WHERE p.difference > 0)::integer AS wins,
               count(*) FILTER (WHERE p.difference = 0)::integer AS ties,
               count(*) FILTER (WHERE p.difference < 0)::integer AS losses
          FROM paired_scores(compare_runs.runs, compare_runs.edition, compare_runs.measure, compare_runs.baseline,
                             compare_runs.missing, compare_runs.query_set) p
         GROUP BY p.run, p.against),
    tested AS (
        SELECT pairs.*, CASE WHEN sd > 0 THEN difference / sd * sqrt(queries::double precision)
                             WHEN sd = 0 AND difference = 0 THEN 0
                             WHEN sd = 0 THEN sign(difference) * 'Infinity'::double precision END AS t
          FROM pairs),
    numbered AS (
        SELECT tested.*, s.p, row_number() OVER (ORDER BY s.p, run COLLATE "C", against COLLATE "C") AS i,
               count(s.p) OVER () AS m
          FROM tested CROSS JOIN LATERAL (SELECT student_t_p(tested.t, tested.queries - 1) AS p) s)
    SELECT run, against, queries, mean, mean_against, difference, sd,
           CASE WHEN difference = 0 THEN 0 ELSE difference / nullif(sd, 0) END, wins, ties, losses, t, p,
           CASE WHEN p IS NOT NULL THEN max(least(1, (m - i + 1) * p)) OVER (ORDER BY i) END,
           CASE WHEN p IS NOT NULL THEN min(least(1, m * p / i)) OVER (ORDER BY i DESC) END
      FROM numbered
     ORDER BY i
$$;
COMMENT ON FUNCTION public.compare_runs(text, text, text[], text, text, text) IS
    'Pairs of runs compared by one measure: difference, effect size, paired t-test, and p corrected by Holm and by '
    'Benjamini-Hochberg; smallest p first';
