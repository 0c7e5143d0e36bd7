-- measure_judged: documents among the first k that are judged.
--
--   Judged@k = judged among the first k, divided by how many there are
--   (MacAvaney et al., ir-measures, ECIR 2022)
CREATE OR REPLACE FUNCTION measure_judged(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT NULL, NULL,
           'coalesce((width_bucket({k}, l.relevant) + width_bucket({k}, l.irrelevant))
        / nullif(least({k}, {retrieved}), 0)::double precision, 0)'
$$;
COMMENT ON FUNCTION measure_judged(integer) IS 'The formula of judged: documents among the first k that are judged';
