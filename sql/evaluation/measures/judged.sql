-- measure_judged: share of the first k documents that are judged.
--
--   Judged@k = judged documents among the first k, divided by the number retrieved there
--   (MacAvaney et al., ir-measures, ECIR 2022)
CREATE OR REPLACE FUNCTION measure_judged(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL,
           'coalesce((width_bucket({k}, l.relevant) + width_bucket({k}, l.irrelevant))
        / nullif(least({k}, {retrieved}), 0)::double precision, 0)'
$$;
COMMENT ON FUNCTION measure_judged(integer) IS 'Formula of judged: share of the first k documents that are judged';
