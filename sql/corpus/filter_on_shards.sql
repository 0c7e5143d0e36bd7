-- filter_on_shards: true if the collection is distributed and the shards can check a filter while they score documents.
-- The keys text, as_of and judged need functions and tables of the coordinator: its searches find the documents first
-- (filter_docs) and send their ids to the shards.
CREATE OR REPLACE FUNCTION filter_on_shards(filter jsonb)
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    RETURN coalesce(NOT filter_on_shards.filter ?| '{text,as_of,judged}', false) AND distributed();
END
$$;
COMMENT ON FUNCTION filter_on_shards(jsonb) IS
'True if the collection is distributed and the shards can check the filter while they score documents';
