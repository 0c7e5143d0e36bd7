-- drop_system: remove a system that users added, and return how many were removed. Its function and its runs stay; a
-- run has the definition of the function in params. An organiser removes what organisers added, a participant his own.
--
-- The trigger remove_rows removes the row (see drop_runs).
CREATE OR REPLACE FUNCTION drop_system(system text) RETURNS bigint
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    dropped bigint;
    shared CONSTANT boolean := has_table_privilege('own_systems', 'DELETE');
BEGIN
    PERFORM check_removal('removals', 'INSERT', 'systems');
    INSERT INTO removals (kind, id)
    SELECT 'system', o.id FROM own_systems o
     WHERE o.system = drop_system.system COLLATE "C"
       AND CASE WHEN shared THEN o.maker IS NULL ELSE o.maker = current_user END;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_system(text) IS 'Removes a system that users added; its function and its runs stay';
