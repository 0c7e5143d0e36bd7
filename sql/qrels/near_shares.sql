-- near_shares: near_pairs in eight shares, which parallel workers process one after the other; unordered.
--
-- There is no SET, so that the function is inlined and the planner sees the branches of a Parallel Append.
CREATE OR REPLACE FUNCTION near_shares(sources bigint[], threshold double precision, field text, space vector_models,
                                       walked vector_indexes DEFAULT NULL, fetched integer DEFAULT NULL)
RETURNS TABLE (source bigint, doc bigint, distance double precision)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM stc.near_pairs(1, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(2, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(3, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(4, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(5, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(6, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(7, sources, threshold, field, space, walked, fetched) UNION ALL
    SELECT * FROM stc.near_pairs(8, sources, threshold, field, space, walked, fetched)
$$;
COMMENT ON FUNCTION near_shares(bigint[], double precision, text, vector_models, vector_indexes, integer) IS
    'near_pairs in eight shares, for parallel workers; see near_documents';
