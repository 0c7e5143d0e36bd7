-- build_text_statistics: fill the statistics of the portable BM25: the document frequency of each word and the length
-- of each document. index_text calls it and holds the lock.
--
-- :returns the number of documents with at least one token, and the number of tokens in all documents. Empty documents
-- are not counted, as in Lucene. anchors: those of count_lexemes.
CREATE OR REPLACE FUNCTION build_text_statistics(
    OUT documents bigint, OUT tokens bigint, OUT anchors bigint[]
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    TRUNCATE text_lexemes, text_lengths;
    INSERT INTO text_lengths (id, tokens) SELECT t.id, text_length(t.tsv) FROM dblp_text t;
    anchors := count_lexemes();
    SELECT count(*) FILTER (WHERE l.tokens > 0), coalesce(sum(l.tokens), 0) INTO documents, tokens FROM text_lengths l;
END
$$;
COMMENT ON FUNCTION build_text_statistics() IS
'Part of index_text: fill document frequencies and document lengths for the portable BM25';
