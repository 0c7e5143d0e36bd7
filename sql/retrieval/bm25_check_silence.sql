-- bm25_check_silence: raise IR401 if a query without results in pg_textsearch's index contains a word that occurs in
-- the corpus.
--
-- The index is then damaged: after a rolled-back TRUNCATE of dblp_text, pg_textsearch 1.0 continues with the counts of
-- the empty table.
CREATE OR REPLACE FUNCTION bm25_check_silence(config regconfig, words text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM query_words(bm25_check_silence.config, bm25_check_silence.words) w
                 JOIN text_lexemes x ON x.lexeme = w.lexeme COLLATE "C")
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR401',
            MESSAGE = 'the BM25 index does not find words that occur in the corpus',
            HINT = 'Rebuild it: stc index --rebuild. Or use engine => ''portable''.';
    END IF;
END
$$;
COMMENT ON FUNCTION bm25_check_silence(regconfig, text) IS
'Raise IR401 if a query without results should have results, because the BM25 index is damaged';
