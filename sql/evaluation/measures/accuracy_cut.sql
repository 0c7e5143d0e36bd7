-- measure_accuracy_cut: probability that a relevant document ranks above one that is not.
--
--   Accuracy@k = 1 - sum over relevant documents of the others above / (relevant · others), among the first k documents
--   Unjudged documents are not relevant. Without a relevant document it is 0; without another one it is 1.
--   (MacAvaney et al., ir-measures, ECIR 2022, which has no value in the first case and fails in the second)
CREATE OR REPLACE FUNCTION measure_accuracy_cut(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)',
           NULL,
           'CASE WHEN count(*) FILTER (WHERE u.rank <= {k}) > 0 THEN
        coalesce(1 - sum(u.rank - u.k) FILTER (WHERE u.rank <= {k})
        / nullif((least({k}, {retrieved}) - {hits}) * {hits}::double precision, 0), 1) ELSE 0 END'
$$;
COMMENT ON FUNCTION measure_accuracy_cut(integer) IS
    'Formula of accuracy_cut: probability that a relevant document ranks above one that is not';
