-- answer_part: part of a split to which a query belongs: by template, its template; by language, zh if it contains a
-- Chinese character, otherwise other. NULL if by is NULL.
-- Raises IR202 invalid value of by.
CREATE OR REPLACE FUNCTION answer_part(query text, template text, by text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF answer_part.by IS NULL THEN
        RETURN NULL;
    ELSIF answer_part.by = 'template' THEN
        RETURN coalesce(answer_part.template, '(none)');
    ELSIF answer_part.by = 'language' THEN
        RETURN CASE WHEN answer_part.query ~ '[㐀-䶿一-鿿豈-﫿]' THEN 'zh' ELSE 'other' END;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('by is %L', answer_part.by),
        HINT = 'Use template or language.';
END
$$;
COMMENT ON FUNCTION answer_part(text, text, text) IS
    'The part of a split to which a query belongs, by template or language; NULL if by is NULL';
