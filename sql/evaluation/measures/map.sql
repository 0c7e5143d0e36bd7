-- measure_map: average precision, AP.
--
--   AP = sum of k / r over the relevant documents retrieved, the k-th of them at rank r, divided by R
--   (Buckley & Voorhees, Retrieval System Evaluation, in TREC: Experiment and Evaluation in IR, MIT Press 2005)
CREATE OR REPLACE FUNCTION measure_map(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce(sum(u.k / u.rank::double precision) / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_map(integer) IS 'Formula of map: average precision (AP)';
