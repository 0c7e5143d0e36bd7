-- fused_search: the k best documents of a query by a system that tuning has stored (add_fusion): hybrid_search with its
-- rankers, method, norm, constant and weights, each ranker 1,000 deep.
--
-- It is the function of such systems in own_systems; own_search names the system. The other arguments are those of
-- system_search. Raises IR107 no such system, or it has no weights, and the errors of hybrid_search.
CREATE OR REPLACE FUNCTION fused_search(
    query text, k integer, query_vector vector DEFAULT NULL, filter jsonb DEFAULT NULL, model text DEFAULT NULL,
    system text DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    fusion CONSTANT jsonb := system_fusion(fused_search.system);
BEGIN
    IF fusion IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR107',
            MESSAGE = format('the system %s has no weights', coalesce(fused_search.system, 'NULL')),
            HINT = 'Tune and store some: ''stc fuse --tune RUN... --train EDITION --system NAME''.';
    END IF;
    RETURN QUERY
    SELECT s.doc, s.score, s.rank
      FROM hybrid_search(fused_search.query, fused_search.k, fused_search.query_vector,
                         ARRAY(SELECT jsonb_object_keys(fusion -> 'weights')), greatest(fused_search.k, 1000),
                         (fusion ->> 'constant')::integer, fused_search.filter, fused_search.model,
                         fusion ->> 'method', fusion ->> 'norm', fusion -> 'weights') s;
END
$$;
COMMENT ON FUNCTION fused_search(text, integer, vector, jsonb, text, text) IS
'The k best documents of a query by a system that fuses others with tuned weights';
