-- list_length: the largest number of documents in a stored row of a ranked list (ranked_lists). The other columns of a
-- row leave 2,004 bytes for them, and PostgreSQL compresses or moves larger rows.
CREATE OR REPLACE FUNCTION list_length() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 120
$$;
COMMENT ON FUNCTION list_length() IS 'The largest number of documents in a stored row of a ranked list';
