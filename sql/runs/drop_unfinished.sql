-- drop_unfinished: remove unfinished runs with the rankings found so far, and return the number removed.
--
-- Owners and organisers can remove any of them, others only their own; other numbers are skipped. Participants have no
-- DELETE privilege on the table, because a role with that privilege could also lock it (drop_runs). Safe because: it
-- takes numbers only, and compares the caller (caller_name) with the maker of each.
CREATE OR REPLACE FUNCTION drop_unfinished(unfinished integer[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc, public, pg_temp AS $$
DECLARE
    caller CONSTANT name := caller_name();
    every_one CONSTANT boolean := coalesce(pg_has_role(caller, to_regrole('stc_organiser'), 'USAGE'), false)
        OR (SELECT pg_has_role(caller, c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = 'unfinished_runs'::regclass);
    dropped bigint;
BEGIN
    DELETE FROM unfinished_runs u
     WHERE u.id = ANY (drop_unfinished.unfinished) AND (every_one OR u.maker = caller COLLATE "C");
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_unfinished(integer[]) IS
    'Removes unfinished runs with the rankings found so far; roles other than organisers can remove only their own';
