-- mark_words: mark the words of a tsquery in a text with the characters U+E000 and U+E001 (of the private use area,
-- removed from the text first).
--
-- Apart from these characters the text does not change and nothing is escaped; the caller escapes the text and replaces
-- the characters by tags.
--
-- marks: as returned by query_marks; NULL marks nothing. NULL for a NULL text.
CREATE OR REPLACE FUNCTION mark_words(content text, marks tsquery)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    bare CONSTANT text := translate(mark_words.content, U&'\E000\E001', '');
    read CONSTANT text := indexed_words(bare, wholes => false);
    marked text;
BEGIN
    IF mark_words.marks IS NULL OR bare IS NULL THEN
        RETURN bare;
    END IF;
    marked := ts_headline(config, read, mark_words.marks, U&'HighlightAll=true, StartSel=\E000, StopSel=\E001');
    RETURN CASE WHEN translate(marked, U&'\E000\E001', '') = read THEN copy_marks(bare, marked) ELSE bare END;
END
$$;
COMMENT ON FUNCTION mark_words(text, tsquery) IS 'Mark the words of a tsquery in a text with U+E000 and U+E001';
