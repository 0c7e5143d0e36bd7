-- measure_recip_rank_cut: reciprocal rank within the first k documents.
--
--   RR@k = 1 / rank of the first relevant document; 0 if it is below rank k
--   (MacAvaney et al., ir-measures, ECIR 2022)
CREATE OR REPLACE FUNCTION measure_recip_rank_cut(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'CASE WHEN {ranks}[1] <= {k} THEN 1 / {ranks}[1]::double precision ELSE 0 END'
$$;
COMMENT ON FUNCTION measure_recip_rank_cut(integer) IS
    'Formula of recip_rank_cut: reciprocal rank within the first k documents';
