-- check_system_name: raise an error if this role can name no retrieval system like that (view systems).
-- Raises IR107 no such system.
CREATE OR REPLACE FUNCTION check_system_name(system text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM product_systems() b WHERE b.system = check_system_name.system)
        AND NOT EXISTS (SELECT FROM systems s WHERE s.system = check_system_name.system)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR107',
            MESSAGE = format('there is no system %s', coalesce(check_system_name.system, 'NULL')),
            HINT = format('The systems are %s.', (SELECT string_agg(s.system, ', ') FROM systems s));
    END IF;
END
$$;
COMMENT ON FUNCTION check_system_name(text) IS 'Raise an error if no retrieval system has this name';
