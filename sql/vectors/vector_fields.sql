-- vector_fields: raise an error unless each is a field of documents: title, abstract, content. Passages have separate
-- texts and tables.
-- Raises IR106 no such field.
CREATE OR REPLACE FUNCTION vector_fields(fields text[])
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wrong text := (SELECT coalesce(f.field, 'NULL') FROM unnest(vector_fields.fields) f (field)
                    WHERE f.field IS NULL OR f.field NOT IN ('title', 'abstract', 'content') LIMIT 1);
BEGIN
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106', MESSAGE = format('documents have no vectors of a field %s', wrong),
            HINT = 'The fields are title, abstract and content (both as one text).';
    END IF;
END
$$;
COMMENT ON FUNCTION vector_fields(text[]) IS
'Raise an error unless each is a field of documents: title, abstract, content';
