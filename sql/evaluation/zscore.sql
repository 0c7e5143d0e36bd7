-- zscore: standardised score z = (value - mean) / deviation.
--
-- If deviation is 0, z is 0 for a value equal to the mean and otherwise undefined. It is also undefined if mean or
-- deviation is NULL. missing is returned for undefined values; trec_eval prints -1000000. (Webber, Moffat & Zobel,
-- SIGIR 2008; trec_eval 9 -Z)
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
    'Standardised score (value - mean) / deviation, as trec_eval -Z; missing if undefined';
