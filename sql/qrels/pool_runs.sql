-- pool_runs: runs to pool, with their teams; an empty array means all stored runs.
--
-- A run without a team counts as a separate team, shown as its name in parentheses.
-- Raises IR101 no such run, IR405 no run is stored.
CREATE OR REPLACE FUNCTION pool_runs(runs text[]) RETURNS TABLE (id integer, run text, team text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := run_keys(pool_runs.runs);
BEGIN
    IF NOT EXISTS (SELECT FROM st1_runs) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'there is no run to pool',
            HINT = 'Import runs with ''stc load --as runs'' or make them with ''stc run''.';
    END IF;
    RETURN QUERY
    SELECT n.id, n.run, coalesce(nullif(btrim(n.team), ''), '(' || n.run || ')')
      FROM st1_runs n
     WHERE n.id = ANY (keys);
END
$$;
COMMENT ON FUNCTION pool_runs(text[]) IS 'Runs to pool, with their teams; an empty array means all stored runs';
