-- filter_while_scoring: true if the shards can check a filter while they score documents. The keys text, as_of and
-- judged need functions and tables of the coordinator: its searches find the documents first (filter_docs) and send
-- their ids to the shards.
CREATE OR REPLACE FUNCTION filter_while_scoring(filter jsonb)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(NOT filter ?| '{text,as_of,judged}', false);
COMMENT ON FUNCTION filter_while_scoring(jsonb) IS
'True if bm25_weighted can check the filter while it scores documents';
