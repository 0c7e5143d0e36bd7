-- queries_needed: number of queries for which a paired t-test finds a difference with the given probability; NULL if it
-- exceeds 1,000,000 or the effect is 0 or NULL.
--
--   n = ((z1 + z2) / d)² + z1² / 2, rounded up, at least 2
--       z1, z2: quantiles of the normal distribution at 1 - level / 2 and at power
--       (Guenther, The American Statistician 35, 1981; Sakai, Information Retrieval Journal 19, 2016, uses power
--       analysis for the number of topics)
--
--   effect  Cohen's d of the paired differences: their mean divided by their standard deviation (compare_runs.d)
--   level   p below which a difference counts as found
--   power   probability of finding it
--
--   SELECT queries_needed(0.4);                                             -- 52
--   SELECT run, against, queries_needed(d, level => 0.05 / 10) FROM compare_runs('train', 'AP');
--
-- Raises IR202 for a level or power outside 0 to 1.
CREATE OR REPLACE FUNCTION public.queries_needed(
    effect double precision, level double precision DEFAULT 0.05, power double precision DEFAULT 0.8)
RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    first double precision;
    n double precision;
BEGIN
    IF queries_needed.level IS NULL OR NOT queries_needed.level > 0 OR NOT queries_needed.level < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the level is %s', coalesce(queries_needed.level::text, 'NULL')),
            HINT = 'It must lie between 0 and 1; .05 is usual.';
    ELSIF queries_needed.power IS NULL OR NOT queries_needed.power > 0 OR NOT queries_needed.power < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('power is %s', coalesce(queries_needed.power::text, 'NULL')),
            HINT = 'It must lie between 0 and 1; .8 is usual.';
    ELSIF queries_needed.effect IS NULL OR queries_needed.effect = 'NaN' OR abs(queries_needed.effect) < 1e-9 THEN
        RETURN NULL;
    END IF;
    first := -normal_quantile(queries_needed.level / 2);
    n := ((first + normal_quantile(queries_needed.power)) / abs(queries_needed.effect)) ^ 2 + first ^ 2 / 2;
    RETURN CASE WHEN n <= 1000000 THEN greatest(2, ceil(n)) END;
END
$$;
COMMENT ON FUNCTION public.queries_needed(double precision, double precision, double precision) IS
    'Number of queries for which a paired t-test finds a difference of this effect size (Cohen''s d) with the given '
    'probability';
