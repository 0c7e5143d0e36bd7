-- drop_vector_index: drop the index on a field's vectors, of any kind, if there is one, with the texts of an index of
-- impacts.
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
    EXECUTE format('DROP TABLE IF EXISTS stc.%I', vector_index_name(relation, field, 'impacts'));
    -- Each locks the table against readers, so only if it exists. The column is of revisions before 0057.
    IF EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = to_regclass(quote_ident(relation))
                  AND t.tgname = 'keep_impacts_' || field) THEN
        EXECUTE format('DROP TRIGGER %I ON %I', 'keep_impacts_' || field, relation);
    END IF;
    IF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = to_regclass(quote_ident(relation))
                  AND a.attname = field || '_i' AND NOT a.attisdropped) THEN
        EXECUTE format('ALTER TABLE %I DROP COLUMN %I', relation, field || '_i');
    END IF;
END
$$;
COMMENT ON FUNCTION drop_vector_index(name, text) IS 'Drop the index on a field''s vectors, of any kind';
