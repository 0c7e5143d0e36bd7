-- check_removal: raise IR410 if the current role cannot delete rows of a table.
CREATE OR REPLACE FUNCTION check_removal(relation regclass, what text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF NOT has_table_privilege(check_removal.relation, 'DELETE') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s may not remove %s', current_user, what),
            HINT = 'Connect as the owner or an organiser.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_removal(regclass, text) IS 'Raise IR410 if the current role cannot delete rows of a table';
