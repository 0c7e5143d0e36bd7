-- check_day: a day written as YYYY-MM-DD. Raises IR202 for another text, and for a date in the future.
CREATE OR REPLACE FUNCTION check_day(day text)
RETURNS date
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wanted date := CASE WHEN pg_input_is_valid(day, 'date') AND day ~ '^\d{4}-\d{2}-\d{2}$' THEN day::date END;
BEGIN
    IF wanted IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not a date', coalesce(quote_literal(left(day, 40)), 'NULL')),
            HINT = 'Write the date as YYYY-MM-DD, for example 2024-06-30.';
    ELSIF wanted > current_date THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the date %s is in the future', wanted),
            HINT = 'Give a date up to today, as YYYY-MM-DD.';
    END IF;
    RETURN wanted;
END
$$;
COMMENT ON FUNCTION check_day(text) IS 'Day written as YYYY-MM-DD, not in the future';
