-- vector_column: the column with the vectors of a field: title, abstract, content (title and abstract as one text),
-- passage, or title_only (vector_rows).
-- Raises IR106 no such field.
CREATE OR REPLACE FUNCTION vector_column(field text)
RETURNS name
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF vector_column.field IS NULL
        OR vector_column.field NOT IN ('title', 'abstract', 'content', 'passage', 'title_only')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106',
            MESSAGE = format('there are no vectors of a field %s', coalesce(vector_column.field, 'NULL')),
            HINT = 'The fields are title, abstract, content (both together) and passage.';
    END IF;
    RETURN CASE vector_column.field WHEN 'title_only' THEN 'title' ELSE vector_column.field END || '_v';
END
$$;
COMMENT ON FUNCTION vector_column(text) IS
'Column with the vectors of a field: title_v, abstract_v, content_v, passage_v';
