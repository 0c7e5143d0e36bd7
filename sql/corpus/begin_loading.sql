-- begin_loading: set what a session needs that stores documents. Returns true if a unique key protects docnos: always
-- on one server.
--
-- A crash of the server may lose the last chunks, but together with their rows in the ledger, so that the load resumes
-- before them. The commit that marks the file as loaded waits for the disk, and thereby for all chunks.
CREATE OR REPLACE FUNCTION begin_loading()
RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', false);
    RETURN true;
END
$$;
COMMENT ON FUNCTION begin_loading() IS
'Set what a session needs that stores documents; true if a unique key protects docnos';
