-- check_name: raise IR202 if a text cannot be a name (is_name). Functions that store a name call it, so that the
-- message shows the value; CHECK constraints of the tables refuse all other writes.
--
-- what: the kind of object, as 'run'. NULL passes: the caller decides whether a name is required.
CREATE OR REPLACE FUNCTION check_name(what text, name text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF NOT is_name(check_name.name) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s cannot be the name of %s %s', shown_name(check_name.name),
                             CASE WHEN check_name.what ~ '^[aeiou]' THEN 'an' ELSE 'a' END, check_name.what),
            HINT = 'A name has 1 to 200 printable characters and no space at either end.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_name(text, text) IS 'Raise IR202 if a text cannot be a name';
