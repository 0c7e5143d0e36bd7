-- snapshot_at: the date of the snapshot that shows the collection as of a day: the last one up to that day.
--
-- Raises IR202 a text that is not a date YYYY-MM-DD, a date in the future, or a day before the first snapshot; IR405
-- without snapshots.
CREATE OR REPLACE FUNCTION snapshot_at(as_of text)
RETURNS date
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wanted date := check_day(as_of);
    found date;
BEGIN
    SELECT max(s.day) INTO found FROM corpus_snapshots s WHERE s.day <= wanted;
    IF found IS NULL THEN
        SELECT min(s.day) INTO found FROM corpus_snapshots s;
        IF found IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'the collection has no snapshots',
                HINT = 'Load files with their date: stc load --as corpus FILE --date YYYY-MM-DD.';
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is no snapshot up to %s', wanted),
            HINT = format('The first is of %s; ''stc show snapshots'' lists all.', found);
    END IF;
    RETURN found;
END
$$;
COMMENT ON FUNCTION snapshot_at(text) IS
'Date of the snapshot that shows the collection as of a day: the last one up to that day';
