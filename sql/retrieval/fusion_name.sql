-- fusion_name: raise an error unless a run made from others can be stored under a name; reserve the name for this
-- transaction (claim_run).
-- Raises IR202 no name, a name that is taken (unless replace), or the name of a source.
CREATE OR REPLACE FUNCTION fusion_name(run text, sources text[], replace boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    PERFORM claim_run(fusion_name.run);
    IF coalesce(fusion_name.run, '') !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the run is empty', HINT = 'Enter a name.';
    END IF;
    PERFORM check_name('run', fusion_name.run);
    IF fusion_name.run COLLATE "C" = ANY (fusion_name.sources) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the run %s cannot replace one of its sources', fusion_name.run),
            HINT = 'Choose another --name.';
    ELSIF NOT fusion_name.replace AND EXISTS (SELECT FROM st1_runs r WHERE r.run = fusion_name.run COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s already exists', fusion_name.run),
            HINT = 'Choose another --name, or use --replace to replace that run.';
    END IF;
END
$$;
COMMENT ON FUNCTION fusion_name(text, text[], boolean) IS
'Raise an error unless a run made from others can be stored under a name';
