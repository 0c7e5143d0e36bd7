-- check_system_name: raise an error if this role can name no retrieval system like that (view systems).
-- Raises IR107 no such system.
CREATE OR REPLACE FUNCTION check_system_name(system text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    -- Not the view systems: it reads the stages of systems, which are checked here.
    names CONSTANT text[] := ARRAY(SELECT b.system FROM product_systems() b ORDER BY b.place)
        || ARRAY(SELECT o.system FROM own_systems o WHERE o.maker IS NULL OR o.maker = current_user
                  ORDER BY o.maker NULLS FIRST, o.system);
BEGIN
    IF check_system_name.system = ANY (names) THEN
        RETURN;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR107',
        MESSAGE = format('there is no system %s', coalesce(check_system_name.system, 'NULL')),
        HINT = format('The systems are %s.', array_to_string(names, ', '));
END
$$;
COMMENT ON FUNCTION check_system_name(text) IS 'Raise an error if no retrieval system has this name';
