-- vector_effort: set the search effort of an index of a kind until the end of the transaction, for a search of k rows,
-- and let the scan continue until enough rows pass a filter.
--
-- Part of knn, which passes the returned previous settings to set_config at its end. here: only on this server, also if
-- the collection is distributed.
--
-- diskann searches by some bits of each vector and sorts query_rescore candidates at a time by the vectors themselves.
-- If these are not more than k, the bits decide. With vectorscale's default of 50, recall of 100 was .77; with 200 it
-- is .94 (ACM-CR).
CREATE OR REPLACE FUNCTION vector_effort(kind text, effort integer, k integer, here boolean DEFAULT false)
RETURNS jsonb
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
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
    -- The settings exist only after the library is loaded; these calls load it.
    PERFORM '[1]'::vector;
    IF vector_effort.kind = 'diskann' THEN
        PERFORM pg_indexam_has_property(a.oid, 'can_order') FROM pg_am a WHERE a.amname = 'diskann';
    END IF;
    SELECT jsonb_object_agg(w.key, current_setting(w.key)) INTO before FROM jsonb_each_text(wanted) w;
    IF here THEN
        PERFORM set_config(w.key, w.value, true) FROM jsonb_each_text(wanted) w;
    ELSE
        PERFORM set_everywhere(wanted);
    END IF;
    RETURN before;
END
$$;
COMMENT ON FUNCTION vector_effort(text, integer, integer, boolean) IS
'Part of knn: set the search effort for an index, and return the previous settings';
