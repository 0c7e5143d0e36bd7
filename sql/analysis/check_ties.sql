-- check_ties: check the arguments of tied_pairs and tied_ranking.
--
-- Raises IR108 no such measure, IR202 a measure that is not a mean over queries, or another argument outside its range.
CREATE OR REPLACE FUNCTION check_ties(
    measure text, alpha double precision, resamples integer, seed integer, power double precision) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    bad record;
BEGIN
    SELECT m.name, m.value INTO bad
      FROM (VALUES ('alpha', check_ties.alpha), ('power', check_ties.power)) AS m (name, value)
     WHERE m.value IS NULL OR NOT m.value > 0 OR NOT m.value < 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is %s', bad.name, coalesce(bad.value::text, 'NULL')),
            HINT = 'It must lie between 0 and 1.';
    ELSIF check_ties.resamples IS NULL OR check_ties.resamples NOT BETWEEN 100 AND 1000000
          OR check_ties.seed IS NULL OR check_ties.seed < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s with seed %s', counted(check_ties.resamples, 'resample'),
                             coalesce(check_ties.seed::text, 'NULL')),
            HINT = 'Use 100 to 1,000,000 resamples and a seed of 0 to 2,147,483,647.';
    END IF;
    SELECT m.measure INTO bad FROM parse_measures(ARRAY[check_ties.measure]) m WHERE m.mean <> 'mean' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s is not a mean over queries', bad.measure),
            HINT = 'Rank by a measure that is a mean, such as nDCG@10 or AP.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_ties(text, double precision, integer, integer, double precision) IS
    'Checks the arguments of tied_pairs and tied_ranking';
