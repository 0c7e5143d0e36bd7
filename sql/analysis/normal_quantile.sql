-- normal_quantile: the quantile of the standard normal distribution; NULL for NULL or p outside 0 to 1.
--
-- Halley's iteration from a first approximation with an error below 4.5e-4:
--
--   t = sqrt(-2 ln p),  x = t - (2.515517 + 0.802853 t + 0.010328 t²) / (1 + 1.432788 t + 0.189269 t² + 0.001308 t³)
--       (Abramowitz & Stegun, 26.2.23), for p below 1/2; otherwise the quantile of 1 - p with the other sign
--   e = Φ(x) - p,  u = e / φ(x),  x := x - u / (1 + x u / 2)
--
-- Φ(x) = erfc(-x / sqrt 2) / 2. Relative error about 1e-15; 0 and 1 give -Infinity and Infinity.
CREATE OR REPLACE FUNCTION normal_quantile(p double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    tail CONSTANT double precision := least(normal_quantile.p, 1 - normal_quantile.p);
    t double precision;
    x double precision;  -- the quantile of tail, negative
    u double precision;
BEGIN
    IF normal_quantile.p IS NULL OR NOT normal_quantile.p BETWEEN 0 AND 1 THEN
        RETURN NULL;
    ELSIF tail = 0 THEN
        RETURN CASE normal_quantile.p WHEN 0 THEN '-Infinity' ELSE 'Infinity' END;
    END IF;
    t := sqrt(-2 * ln(tail));
    x := (2.515517 + 0.802853 * t + 0.010328 * t ^ 2) / (1 + 1.432788 * t + 0.189269 * t ^ 2 + 0.001308 * t ^ 3) - t;
    FOR turn IN 1..3 LOOP
        u := (erfc(-x / sqrt(2)) / 2 - tail) * sqrt(2 * pi()) * exp(x * x / 2);
        x := x - u / (1 + x * u / 2);
    END LOOP;
    RETURN CASE WHEN normal_quantile.p <= 0.5 THEN x ELSE -x END;
END
$$;
COMMENT ON FUNCTION normal_quantile(double precision) IS
    'The quantile of the standard normal distribution; relative error about 1e-15';
