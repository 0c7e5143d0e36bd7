-- combine_check: raise an error unless all names are measures of combine_measures. Raises IR108 for an unknown measure,
-- IR202 for an empty list or a repeated name.
CREATE OR REPLACE FUNCTION combine_check(measures text[])
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    known CONSTANT text[] := ARRAY(SELECT e.measure FROM combine_measures() e ORDER BY e.place);
    bad text;
BEGIN
    IF coalesce(cardinality(combine_check.measures), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no measure is given',
            HINT = format('The measures are %s.', array_to_string(known, ', '));
    END IF;
    SELECT coalesce(u.name, 'NULL') INTO bad FROM unnest(combine_check.measures) u (name)
     WHERE (u.name = ANY (known)) IS NOT TRUE LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108',
            MESSAGE = format('there is no measure %s of documents', left(bad, 80)),
            HINT = concat('Did you mean ' || quote_literal(nearest_name(left(bad, 80), known)) || '? ',
                          'The measures are ', array_to_string(known, ', '), '.');
    END IF;
    SELECT u.name INTO bad FROM unnest(combine_check.measures) u (name) GROUP BY u.name HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the measure %s is given twice', bad),
            HINT = 'Give each measure once.';
    END IF;
END
$$;
COMMENT ON FUNCTION combine_check(text[]) IS 'Raise an error unless all names are measures of documents';
