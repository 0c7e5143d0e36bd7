-- vector_effort: sets how hard searches of an index of a kind look, until the end of the transaction, and to go on until enough rows
-- have passed a filter. Part of knn, which hands what comes back, the settings as they were, to set_config at its end.
CREATE OR REPLACE FUNCTION vector_effort(kind text, effort integer)
RETURNS jsonb
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
DECLARE
    wanted jsonb := CASE vector_effort.kind
        WHEN 'ivfflat' THEN jsonb_build_object(
            'ivfflat.probes', vector_effort.effort, 'ivfflat.max_probes', 32768, 'ivfflat.iterative_scan', 'relaxed_order')
        WHEN 'hnsw' THEN jsonb_build_object(
            'hnsw.ef_search', least(vector_effort.effort, 1000), 'hnsw.iterative_scan', 'relaxed_order',
            'hnsw.max_scan_tuples', 2147483647, 'hnsw.scan_mem_multiplier', 100)
        WHEN 'diskann' THEN jsonb_build_object('diskann.query_search_list_size', least(vector_effort.effort, 10000))
        ELSE '{}' END;
    before jsonb;
BEGIN
    SELECT jsonb_object_agg(w.key, current_setting(w.key)) INTO before FROM jsonb_each_text(wanted) w;
    PERFORM set_config(w.key, w.value, true) FROM jsonb_each_text(wanted) w;
    RETURN before;
END
$$;
COMMENT ON FUNCTION vector_effort(text, integer) IS 'Part of knn: sets how hard searches look, and returns the settings as they were';
