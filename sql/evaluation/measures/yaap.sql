-- measure_yaap: transformation of AP whose values are closer to a normal distribution.
--
--   yaap = ln((1 + s) / (1 + R - s)), s = AP · R
--   (Robertson, On Smoothing Average Precision, ECIR 2012)
CREATE OR REPLACE FUNCTION measure_yaap(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'ln((1 + coalesce(sum(u.k / u.rank::double precision), 0))
        / (1 + coalesce({R}, 0) - coalesce(sum(u.k / u.rank::double precision), 0)))'
$$;
COMMENT ON FUNCTION measure_yaap(integer) IS
    'Formula of yaap: transformation of AP whose values are closer to a normal distribution';
