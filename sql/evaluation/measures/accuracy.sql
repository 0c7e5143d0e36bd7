-- measure_accuracy: probability that a relevant document ranks above one that is not.
--
--   Accuracy = 1 - sum over relevant documents of the others above / (relevant · others), among the documents retrieved
--   Unjudged documents are not relevant. Without a relevant document it is 0; without another one it is 1.
--   (MacAvaney et al., ir-measures, ECIR 2022, which has no value in the first case and fails in the second)
CREATE OR REPLACE FUNCTION measure_accuracy(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)',
           NULL,
           'CASE WHEN count(*) > 0 THEN coalesce(1 - sum(u.rank - u.k)
        / nullif(({retrieved} - {found}) * {found}::double precision, 0), 1) ELSE 0 END'
$$;
COMMENT ON FUNCTION measure_accuracy(integer) IS
    'Formula of accuracy: probability that a relevant document ranks above one that is not';
