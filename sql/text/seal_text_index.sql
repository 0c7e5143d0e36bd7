-- seal_text_index: store the size of a new BM25 index in its comment, by which searches notice later changes
-- (text_index_touched).
CREATE OR REPLACE FUNCTION seal_text_index(index regclass)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    EXECUTE format('COMMENT ON INDEX %s IS %L', seal_text_index.index,
        format('sealed at %s bytes', pg_relation_size(seal_text_index.index)));
END
$$;
COMMENT ON FUNCTION seal_text_index(regclass) IS
'Store the size of a new BM25 index, by which searches notice later changes of it';
