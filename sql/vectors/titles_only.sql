-- titles_only: the number of documents that have a vector of the title but none of the abstract, by the statistics of
-- their index (index_vectors), which costs nothing; 0 without this index or without statistics.
CREATE OR REPLACE FUNCTION titles_only(relation name)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT coalesce((SELECT greatest(c.reltuples, 0)::bigint FROM pg_class c
                      WHERE c.oid = to_regclass(quote_ident(titles_only.relation || '_title_only'))), 0)
$$;
COMMENT ON FUNCTION titles_only(name) IS
'Number of documents with a vector of the title but none of the abstract, by the statistics of their index';
