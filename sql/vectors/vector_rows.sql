-- vector_rows: the condition, as SQL on the table with a model's vectors, that a row has a vector of a field.
--
-- title_only is the title's vector of a document that has none of its abstract (dense_document_search).
-- Raises IR106 no such field.
CREATE OR REPLACE FUNCTION vector_rows(field text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT format('%I IS NOT NULL', vector_column(vector_rows.field))
        || CASE WHEN vector_rows.field = 'title_only' THEN ' AND abstract_v IS NULL' ELSE '' END
$$;
COMMENT ON FUNCTION vector_rows(text) IS 'Condition, as SQL, that a row has a vector of a field';
