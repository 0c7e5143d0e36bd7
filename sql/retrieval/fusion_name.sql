-- fusion_name: makes sure that a run that is made of others may be stored under a name, which is then this
-- transaction's (claim_run).
-- Raises IR202 no name, one that is taken (unless replace), or that of a run it is made of.
CREATE OR REPLACE FUNCTION fusion_name(run text, sources text[], replace boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    PERFORM claim_run(fusion_name.run);
    IF coalesce(fusion_name.run, '') !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a run without a name', HINT = 'Give it one.';
    END IF;
    PERFORM check_name('run', fusion_name.run);
    IF fusion_name.run COLLATE "C" = ANY (fusion_name.sources) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the run %s would take the place of one it is made of', fusion_name.run),
            HINT = 'Take another --name.';
    ELSIF NOT fusion_name.replace AND EXISTS (SELECT FROM st1_runs r WHERE r.run = fusion_name.run COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is a run %s already', fusion_name.run),
            HINT = 'Take another --name, or --replace to put this one in its place.';
    END IF;
END
$$;
COMMENT ON FUNCTION fusion_name(text, text[], boolean) IS
'Raise unless a run made of others may be stored under a name';
