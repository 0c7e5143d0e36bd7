-- check_removal: raise IR410 if the current role lacks a privilege that it needs to remove rows. A privilege on some
-- columns is enough.
CREATE OR REPLACE FUNCTION check_removal(relation regclass, privilege text, what text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF NOT has_table_privilege(check_removal.relation, privilege)
       AND (privilege = 'DELETE' OR NOT has_any_column_privilege(check_removal.relation, privilege)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s may not remove %s', current_user, what),
            HINT = 'Connect as the owner or an organiser.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_removal(regclass, text, text) IS
    'Raise IR410 if the current role lacks a privilege that it needs to remove rows';
