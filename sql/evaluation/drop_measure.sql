-- drop_measure: remove a measure that organisers added, with and without a cutoff, and return how many were removed.
-- Imported scores with its name stay.
-- Raises IR108 no such measure was added, IR410 a role that adds none.
CREATE OR REPLACE FUNCTION drop_measure(measure text) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    dropped bigint;
BEGIN
    PERFORM check_removal('own_measures', 'DELETE', 'measures');
    DELETE FROM own_measures m WHERE lower(m.ir) = lower(drop_measure.measure);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    IF dropped = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108',
            MESSAGE = format('no measure %s was added', coalesce(left(drop_measure.measure, 80), 'NULL')),
            HINT = coalesce('Added were ' || (SELECT string_agg(DISTINCT m.ir, ', ') FROM own_measures m) || '.',
                            'No measure was added.');
    END IF;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_measure(text) IS 'Removes a measure that organisers added';
