-- published_index: compare the index of a field with the published settings: ivfflat in full precision, rows / 1000
-- lists, 65 probes (or all lists if there are fewer). Returns NULL if it has them, else a description of the index.
CREATE OR REPLACE FUNCTION published_index(field text)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    built vector_indexes;
    lists integer;
BEGIN
    SELECT * INTO built FROM vector_indexes i
     WHERE i.field = published_index.field COLLATE "C" AND i.model = (vector_model(NULL)).model;
    lists := ivfflat_lists(built.rows, 'published');
    RETURN CASE WHEN built.kind IS NULL THEN 'no index'
                WHEN built.halfvec THEN built.kind || ' in half precision'
                WHEN built.bits THEN built.kind || ' of bits'
                WHEN built.kind <> 'ivfflat' THEN built.kind
                WHEN (built.lists, built.effort) IS DISTINCT FROM (lists, ivfflat_probes(lists, 'published')) THEN
                    format('%s and %s', counted(built.lists, 'list'), counted(built.effort, 'probe'))
           END;
END
$$;
COMMENT ON FUNCTION published_index(text) IS
'How the index of a field differs from the published settings; NULL: it does not';
