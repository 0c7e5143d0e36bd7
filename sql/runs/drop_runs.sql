-- drop_runs: remove runs with their rankings, and return the number removed.
--
-- Runs with the rights of the caller: row policies let participants lock runs of their team, and others every run.
-- Names of other runs are skipped. The trigger remove_rows then removes them, because participants have no DELETE
-- privilege on st1_runs: a role with that privilege could also run LOCK TABLE … ACCESS EXCLUSIVE and block everybody.
-- Raises IR410 a role that stores no runs.
CREATE OR REPLACE FUNCTION public.drop_runs(runs text[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    dropped bigint;
BEGIN
    PERFORM check_removal('removals', 'INSERT', 'runs');
    INSERT INTO removals (kind, id)
    SELECT 'run', l.id
      FROM (SELECT n.id FROM public.st1_runs n WHERE n.run = ANY (drop_runs.runs) ORDER BY n.id FOR UPDATE) l;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION public.drop_runs(text[]) IS
    'Removes runs with their rankings and returns the number removed; participants can remove only runs of their team';
