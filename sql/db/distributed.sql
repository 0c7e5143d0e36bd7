-- distributed: true if Citus distributes the documents of the collection over several servers (stc db distribute).
CREATE OR REPLACE FUNCTION distributed()
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = $1)'
           INTO found USING 'public.dblp'::regclass;
    END IF;
    RETURN found;
END
$$;
COMMENT ON FUNCTION distributed() IS 'True if Citus distributes the documents over several servers';
