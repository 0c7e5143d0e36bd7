-- ranked_lock: key of the advisory lock with which sessions that store ranked lists (shared) and sessions that delete
-- documents (exclusive) wait for each other.
CREATE OR REPLACE FUNCTION ranked_lock() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT hashtextextended('ranked documents', 0)
$$;
COMMENT ON FUNCTION ranked_lock() IS 'The key of the advisory lock on the documents of ranked lists';
