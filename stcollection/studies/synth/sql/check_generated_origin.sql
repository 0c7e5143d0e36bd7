-- check_generated_origin: raise IR202 if a text cannot be the origin of generated queries.
CREATE OR REPLACE FUNCTION check_generated_origin(origin text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF check_generated_origin.origin ~ '^[A-Za-z0-9][A-Za-z0-9._-]*$'
        AND check_generated_origin.origin NOT IN ('human', 'all', 'synthetic')
    THEN
        RETURN;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202',
        MESSAGE = format('%L is not a valid origin of generated queries', check_generated_origin.origin),
        HINT = 'Name the generator, such as t5 or gpt-4, with letters, digits, dots, underscores and dashes. The '
               'names human, all and synthetic are reserved.';
END
$$;
COMMENT ON FUNCTION check_generated_origin(text) IS 'Raise IR202 if a text cannot be the origin of generated queries';
