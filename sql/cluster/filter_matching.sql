-- filter_matching: NULL, because the shards check the filter while they search; corpus/filter_matching.sql is for one
-- server. Raises the errors of filter_condition.
CREATE OR REPLACE FUNCTION filter_matching(filter jsonb, k integer, few bigint DEFAULT NULL)
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    PERFORM filter_condition(filter_matching.filter);
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION filter_matching(jsonb, integer, bigint) IS
'Ids of all documents that match a filter; {NULL} if they are too many to list';
