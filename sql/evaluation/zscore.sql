-- zscore: a score in standard deviations from a mean: z = (value - mean) / deviation.
--
-- Without deviation (0) a score at the mean is 0, and any other one has no z; nor has one whose mean or deviation is
-- NULL. Those get missing: trec_eval prints -1000000 for them. (Webber, Moffat & Zobel, SIGIR 2008; trec_eval 9 -Z)
CREATE OR REPLACE FUNCTION zscore(
    value double precision, mean double precision, deviation double precision, missing double precision DEFAULT NULL)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN mean IS NULL OR deviation IS NULL THEN missing
                WHEN deviation <> 0 THEN (value - mean) / deviation
                WHEN value = mean THEN 0
                ELSE missing END
$$;
COMMENT ON FUNCTION zscore(double precision, double precision, double precision, double precision) IS
    'A score in standard deviations from a mean, as trec_eval -Z';
