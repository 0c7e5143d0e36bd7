-- mark_words: a text with the words of a tsquery between the signs U+E000 and U+E001 (of the private use area; taken
-- out of the text before). Without them it is the text, to the letter: nothing is escaped here and nothing left out, so
-- that whoever shows it escapes the text and puts marks where the signs are.
--
-- marks: as query_marks makes them; NULL marks nothing. NULL for a NULL text.
CREATE OR REPLACE FUNCTION mark_words(content text, marks tsquery)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    bare CONSTANT text := translate(mark_words.content, U&'\E000\E001', '');
    marked text;
BEGIN
    IF mark_words.marks IS NULL OR bare IS NULL THEN
        RETURN bare;
    END IF;
    marked := ts_headline(config, bare, mark_words.marks, U&'HighlightAll=true, StartSel=\E000, StopSel=\E001');
    RETURN CASE WHEN translate(marked, U&'\E000\E001', '') = bare THEN marked ELSE bare END;
END
$$;
COMMENT ON FUNCTION mark_words(text, tsquery) IS 'A text with the words of a tsquery between U+E000 and U+E001';
