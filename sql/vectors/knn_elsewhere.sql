-- knn_elsewhere: complete is false, because no other server has an index. cluster/knn_elsewhere.sql is for several
-- servers. Part of knn_among.
CREATE OR REPLACE FUNCTION knn_elsewhere(
    query vector, k integer, walked vector_indexes, space vector_models, relation name, effort integer,
    filter jsonb, condition text,
    OUT docs bigint[], OUT distances double precision[], OUT complete boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    complete := false;
END
$$;
COMMENT ON FUNCTION knn_elsewhere(vector, integer, vector_indexes, vector_models, name, integer, jsonb, text) IS
'Part of knn: the nearest vectors by the indexes of other servers, if they can find them';
