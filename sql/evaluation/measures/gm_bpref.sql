-- measure_gm_bpref: logarithm of bpref; mean_scores turns its mean into the geometric mean.
--
--   gm_bpref = ln(max(bpref, 0.00001))
--   (Robertson, On GMAP: and Other Transformations, CIKM 2006)
CREATE OR REPLACE FUNCTION measure_gm_bpref(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT documents, gain, format('ln(greatest(%s, 0.00001))', value) FROM stc.measure_bpref(numbers)
$$;
COMMENT ON FUNCTION measure_gm_bpref(integer) IS
    'Formula of gm_bpref: logarithm of bpref; mean_scores turns its mean into the geometric mean';
