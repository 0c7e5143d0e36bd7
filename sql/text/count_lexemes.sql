-- count_lexemes: store the number of documents and of occurrences of each word (text_lexemes), and let the planner know
-- the new statistics. Part of build_text_statistics. anchors is NULL on one server.
CREATE OR REPLACE FUNCTION count_lexemes(OUT anchors bigint[])
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    INSERT INTO text_lexemes (lexeme, documents, occurrences)
    SELECT s.word, s.ndoc, s.nentry FROM ts_stat('SELECT tsv FROM public.dblp_text') s;
    ANALYZE dblp_text, text_lexemes, text_lengths;
END
$$;
COMMENT ON FUNCTION count_lexemes() IS 'Part of build_text_statistics: store the document frequency of each word';
