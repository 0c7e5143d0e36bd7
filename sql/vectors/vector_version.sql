-- vector_version: the version of pgvector in this database as {major,minor,patch}, to be compared with an array.
CREATE OR REPLACE FUNCTION vector_version() RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT string_to_array(substring(e.extversion FROM '^\d+\.\d+\.\d+'), '.')::integer[]
      FROM pg_extension e WHERE e.extname = 'vector'
$$;
COMMENT ON FUNCTION vector_version() IS 'The version of pgvector in this database as {major,minor,patch}';
