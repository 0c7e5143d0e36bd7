-- measure_unj: share of the first k documents that are unjudged.
--
--   unj_k = unjudged documents among the first k, divided by k
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_unj(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL,
           '(least({k}, {retrieved}) - width_bucket({k}, l.relevant) - width_bucket({k}, l.irrelevant)) / {k}::double '
           'precision'
$$;
COMMENT ON FUNCTION measure_unj(integer) IS 'Formula of unj: share of the first k documents that are unjudged';
