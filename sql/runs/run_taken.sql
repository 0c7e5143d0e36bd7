-- run_taken: true if a run with this name exists, including runs that the caller cannot see, because names are unique.
--
-- Safe because: it compares a name and returns whether it is used, which trying to store a run with that name would
-- also show.
CREATE OR REPLACE FUNCTION run_taken(run text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM st1_runs n WHERE n.run = run_taken.run COLLATE "C")
$$;
COMMENT ON FUNCTION run_taken(text) IS 'True if a run with this name exists, of any team';
