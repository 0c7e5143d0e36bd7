-- documents_expected: the number of documents; the coordinator's own table is empty.
CREATE OR REPLACE FUNCTION documents_expected()
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN (SELECT count(*) FROM dblp);
END
$$;
COMMENT ON FUNCTION documents_expected() IS 'About how many documents there are, for a choice of storage';
