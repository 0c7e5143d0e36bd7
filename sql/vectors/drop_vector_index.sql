-- drop_vector_index: drop the index on a field's vectors, of any kind, if there is one.
CREATE OR REPLACE FUNCTION drop_vector_index(relation name, field text)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    kind text;
BEGIN
    FOREACH kind IN ARRAY '{ivfflat,hnsw,diskann,impact}'::text[] LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I',
                       vector_index_name(drop_vector_index.relation, drop_vector_index.field, kind));
    END LOOP;
END
$$;
COMMENT ON FUNCTION drop_vector_index(name, text) IS 'Drop the index on a field''s vectors, of any kind';
