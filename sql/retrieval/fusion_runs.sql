-- fusion_runs: the keys of stored runs in the order of their names, for fusing them.
-- Raises IR101 no such run, IR202 no runs or one named twice.
CREATE OR REPLACE FUNCTION fusion_runs(runs text[])
RETURNS integer[]
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    bad text;
BEGIN
    PERFORM run_keys(fusion_runs.runs);
    SELECT u.name INTO bad FROM unnest(fusion_runs.runs) u (name) GROUP BY u.name COLLATE "C", u.name
    HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s is named twice', bad),
            HINT = 'Each run once; a weight makes one count for more.';
    ELSIF coalesce(cardinality(fusion_runs.runs), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no runs to fuse',
            HINT = 'Name stored ones; ''stc runs list'' shows them.';
    END IF;
    RETURN run_keys(fusion_runs.runs);
END
$$;
COMMENT ON FUNCTION fusion_runs(text[]) IS 'The keys of stored runs in the order of their names; checks them';
