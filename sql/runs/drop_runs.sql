-- drop_runs: remove runs with their rankings, and return the number removed.
--
-- Owners and organisers can remove any run, participants only runs of their team; names of other runs are skipped.
-- Participants have no DELETE privilege on st1_runs, because a role with that privilege could also run LOCK TABLE …
-- ACCESS EXCLUSIVE and block everybody. Safe because: it takes names only, and compares the caller's team (my_team)
-- with each run.
CREATE OR REPLACE FUNCTION public.drop_runs(runs text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc, public, pg_temp AS $$
DECLARE
    caller CONSTANT name := caller_name();
    own_team CONSTANT text := CASE WHEN pg_has_role(caller, to_regrole('stc_participant'), 'USAGE') THEN my_team() END;
    any_run CONSTANT boolean := coalesce(pg_has_role(caller, to_regrole('stc_organiser'), 'USAGE'), false)
        OR (SELECT pg_has_role(caller, c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = 'public.st1_runs'::regclass);
    dropped bigint;
BEGIN
    DELETE FROM st1_runs n WHERE n.run = ANY (drop_runs.runs) AND (any_run OR n.team COLLATE "C" = own_team);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION public.drop_runs(text[]) IS
    'Removes runs with their rankings and returns the number removed; participants can remove only runs of their team';
