-- run_taken: whether there is a run of this name, also one that who calls does not see: a name is given once.
--
-- Safe because: it compares a name and returns whether it is taken, which storing a run of that name would show too.
CREATE OR REPLACE FUNCTION run_taken(run text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM st1_runs n WHERE n.run = run_taken.run COLLATE "C")
$$;
COMMENT ON FUNCTION run_taken(text) IS 'Whether there is a run of this name, of whatever team';
