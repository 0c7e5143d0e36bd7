-- bm25_check_silence: called when the index of pg_textsearch finds no document at all. If a word of the query does
-- occur, the index is broken: after a rolled-back TRUNCATE of dblp_text, pg_textsearch 1.0 goes on with the counts of
-- the empty table.
-- Raises IR401.
CREATE OR REPLACE FUNCTION bm25_check_silence(config regconfig, words text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM query_words(bm25_check_silence.config, bm25_check_silence.words) w
                 JOIN text_lexemes x ON x.lexeme = w.lexeme COLLATE "C")
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR401', MESSAGE = 'the BM25 index does not find words that the text holds',
            HINT = 'Build it again: stc text index --rebuild. Or ask for engine => ''portable''.';
    END IF;
END
$$;
COMMENT ON FUNCTION bm25_check_silence(regconfig, text) IS
'Raise if a query that found nothing should have found something';
