-- measure_map_cut: AP of the first k documents.
--
--   AP@k = sum of precision over the relevant documents among the first k, divided by R
--   (Buckley & Voorhees, Retrieval System Evaluation, MIT Press 2005)
CREATE OR REPLACE FUNCTION measure_map_cut(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce(sum(u.k / u.rank::double precision) FILTER (WHERE u.rank <= {k}) / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_map_cut(integer) IS 'Formula of map_cut: AP of the first k documents';
