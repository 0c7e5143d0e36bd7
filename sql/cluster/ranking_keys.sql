-- ranking_keys: all columns are NULL, so that callers resolve names otherwise: Citus cannot join documents with a list
-- of names. runs/ranking_keys.sql is for one server.
CREATE OR REPLACE FUNCTION ranking_keys(
    queries text, docnos text, OUT query_ids integer[], OUT doc_ids bigint[], OUT list_length integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
END
$$;
COMMENT ON FUNCTION ranking_keys(text, text) IS
    'Keys of queries and documents in the order of their names, NULL for a name that is not stored';
