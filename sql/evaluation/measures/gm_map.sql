-- measure_gm_map: logarithm of AP; mean_scores turns its mean into the geometric mean.
--
--   gm_map = ln(max(AP, 0.00001))
--   (Robertson, On GMAP: and Other Transformations, CIKM 2006)
CREATE OR REPLACE FUNCTION measure_gm_map(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT documents, gain, format('ln(greatest(%s, 0.00001))', value) FROM stc.measure_map(numbers)
$$;
COMMENT ON FUNCTION measure_gm_map(integer) IS
    'Formula of gm_map: logarithm of AP; mean_scores turns its mean into the geometric mean';
