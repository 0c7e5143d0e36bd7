-- drop_unfinished: remove unfinished runs with the rankings found so far, and return the number removed.
--
-- Runs with the rights of the caller: row policies return participants only their own; other numbers are skipped. The
-- trigger remove_rows removes them (see drop_runs). Raises IR410 a role that stores no runs.
CREATE OR REPLACE FUNCTION drop_unfinished(unfinished integer[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    dropped bigint;
BEGIN
    PERFORM check_removal('removals', 'INSERT', 'unfinished runs');
    INSERT INTO removals (kind, id)
    SELECT 'unfinished', u.id FROM unfinished_runs u WHERE u.id = ANY (drop_unfinished.unfinished);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_unfinished(integer[]) IS
    'Removes unfinished runs with the rankings found so far; roles other than organisers can remove only their own';
