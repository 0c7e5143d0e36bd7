-- answer_part: which part of a split a query belongs to: by template its template, by language zh where it has a
-- Chinese character and other where it has none; NULL for by NULL. Raises IR202 another word for by.
CREATE OR REPLACE FUNCTION answer_part(query text, template text, by text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF answer_part.by IS NULL THEN
        RETURN NULL;
    ELSIF answer_part.by = 'template' THEN
        RETURN coalesce(answer_part.template, '(none)');
    ELSIF answer_part.by = 'language' THEN
        RETURN CASE WHEN answer_part.query ~ '[㐀-䶿一-鿿豈-﫿]' THEN 'zh' ELSE 'other' END;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('by is %L', answer_part.by),
        HINT = 'It is template or language.';
END
$$;
COMMENT ON FUNCTION answer_part(text, text, text) IS
'Which part of a split a query belongs to, by template or language';
