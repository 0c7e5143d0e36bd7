-- measure_recip_rank: reciprocal rank (RR).
--
--   RR = 1 / rank of the first relevant document
--   (Voorhees, The TREC-8 Question Answering Track Report, TREC 1999)
CREATE OR REPLACE FUNCTION measure_recip_rank(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce(1 / {ranks}[1]::double precision, 0)'
$$;
COMMENT ON FUNCTION measure_recip_rank(integer) IS
    'Formula of recip_rank: reciprocal rank (RR) of the first relevant document';
