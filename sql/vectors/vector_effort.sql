-- vector_effort: sets how hard searches for k rows of an index of a kind look, until the end of the transaction, and to
-- go on until enough rows have passed a filter. Part of knn, which hands what comes back, the settings as they were, to
-- set_config at its end.
--
-- diskann walks by some bits of each vector and puts query_rescore candidates at a time in order by the vectors
-- themselves: unless these are more than k, the bits decide. By 50, as vectorscale has it, recall of 100 was .77 where
-- it is .94 by 200 (ACM-CR).
CREATE OR REPLACE FUNCTION vector_effort(kind text, effort integer, k integer)
RETURNS jsonb
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    wanted jsonb := CASE vector_effort.kind
        WHEN 'ivfflat' THEN jsonb_build_object(
            'ivfflat.probes', least(vector_effort.effort, 32768), 'ivfflat.max_probes', 32768, 'ivfflat.iterative_scan',
            'relaxed_order')
        WHEN 'hnsw' THEN jsonb_build_object(
            'hnsw.ef_search', least(vector_effort.effort, 1000), 'hnsw.iterative_scan', 'relaxed_order',
            'hnsw.max_scan_tuples', 2147483647, 'hnsw.scan_mem_multiplier', 100)
        WHEN 'diskann' THEN jsonb_build_object(
            'diskann.query_search_list_size', least(vector_effort.effort, 10000),
            'diskann.query_rescore', least(1000, greatest(vector_effort.effort, 2 * vector_effort.k::bigint)))
        ELSE '{}' END;
    before jsonb;
BEGIN
    IF vector_effort.kind = 'diskann' THEN
        -- Its settings are there once its library is loaded, which asking it anything does.
        PERFORM pg_indexam_has_property(a.oid, 'can_order') FROM pg_am a WHERE a.amname = 'diskann';
    END IF;
    SELECT jsonb_object_agg(w.key, current_setting(w.key)) INTO before FROM jsonb_each_text(wanted) w;
    PERFORM set_config(w.key, w.value, true) FROM jsonb_each_text(wanted) w;
    RETURN before;
END
$$;
COMMENT ON FUNCTION vector_effort(text, integer, integer) IS
'Part of knn: sets how hard searches look, and returns the settings as they were';
