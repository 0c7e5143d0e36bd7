-- refuse_distributed: nothing on one server. cluster/refuse_distributed.sql refuses an action that a distributed
-- collection cannot do. action: as there.
CREATE OR REPLACE FUNCTION refuse_distributed(action text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
END
$$;
COMMENT ON FUNCTION refuse_distributed(text) IS 'Raise IR415 if the collection is distributed';
