-- http_functions: the functions of the extension http (pgsql-http); no rows if it is not installed in this database.
CREATE OR REPLACE FUNCTION http_functions() RETURNS SETOF pg_proc
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.*
      FROM pg_extension e
      JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
      JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
     WHERE e.extname = 'http'
$$;
COMMENT ON FUNCTION http_functions() IS 'Functions of the extension pgsql-http; no rows if it is not installed';
