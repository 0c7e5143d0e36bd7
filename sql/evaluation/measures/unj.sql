-- measure_unj: documents among the first k that are not judged.
--
--   unj_k = not judged among the first k, divided by k
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_unj(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT NULL, NULL,
           '(least({k}, {retrieved}) - width_bucket({k}, l.relevant) - width_bucket({k}, l.irrelevant)) / {k}::double '
           'precision'
$$;
COMMENT ON FUNCTION measure_unj(integer) IS 'The formula of unj: documents among the first k that are not judged';
