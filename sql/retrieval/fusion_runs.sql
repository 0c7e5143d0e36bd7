-- fusion_runs: the keys of stored runs to fuse, in the order of the argument.
-- Raises IR101 no such run, IR202 no runs or a repeated one.
CREATE OR REPLACE FUNCTION fusion_runs(runs text[])
RETURNS integer[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    bad text;
BEGIN
    PERFORM run_keys(fusion_runs.runs);
    SELECT u.name INTO bad FROM unnest(fusion_runs.runs) u (name) GROUP BY u.name COLLATE "C", u.name
    HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s is given twice', bad),
            HINT = 'Give each run once; use a weight to make a run count more.';
    ELSIF coalesce(cardinality(fusion_runs.runs), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no runs to fuse',
            HINT = 'Name stored runs; ''stc show runs'' lists them.';
    END IF;
    RETURN run_keys(fusion_runs.runs);
END
$$;
COMMENT ON FUNCTION fusion_runs(text[]) IS 'Keys of stored runs to fuse, in the order of the argument; checks them';
