-- filter_list: the part of filter_condition that checks a name or a list of names. Raises IR202 for anything else and
-- for an empty list.
CREATE OR REPLACE FUNCTION filter_list(key text, wanted jsonb)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF jsonb_typeof(filter_list.wanted) = 'string' THEN
        RETURN;
    ELSIF jsonb_typeof(filter_list.wanted) <> 'array' OR filter_list.wanted = '[]'
        OR jsonb_path_exists(filter_list.wanted, 'strict $[*] ? (@.type() != "string")')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a filter''s %s must be a name or a list of names, not %s', filter_list.key,
                             left(filter_list.wanted::text, 80)),
            HINT = format('Write {"%s": ["one", "another"]}.', filter_list.key);
    END IF;
END
$$;
COMMENT ON FUNCTION filter_list(text, jsonb) IS 'Part of filter_condition: check a name or a list of names';
