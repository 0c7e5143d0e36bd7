-- build_text_statistics: what the portable BM25 must know: for each word the documents that hold it, for each document
-- its length. Part of index_text, which holds the lock.
--
-- :returns documents that have at least one token (an empty one is no document to BM25, as in Lucene), and tokens of
-- all.
CREATE OR REPLACE FUNCTION build_text_statistics(OUT documents bigint, OUT tokens bigint)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    TRUNCATE text_lexemes, text_lengths;
    INSERT INTO text_lexemes (lexeme, documents, occurrences)
    SELECT s.word, s.ndoc, s.nentry FROM ts_stat('SELECT tsv FROM public.dblp_text') s;
    INSERT INTO text_lengths (id, tokens) SELECT t.id, text_length(t.tsv) FROM dblp_text t;
    ANALYZE dblp_text, text_lexemes, text_lengths;
    SELECT count(*) FILTER (WHERE l.tokens > 0), coalesce(sum(l.tokens), 0) INTO documents, tokens FROM text_lengths l;
END
$$;
COMMENT ON FUNCTION build_text_statistics() IS
'Part of index_text: document frequencies and lengths for the portable BM25';
