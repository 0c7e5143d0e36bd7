-- build_text_statistics: fill the statistics of the portable BM25: the document frequency of each word and the length
-- of each document. index_text calls it and holds the lock.
--
-- :returns the number of documents with at least one token, and the number of tokens in all documents. Empty documents
-- are not counted, as in Lucene.
CREATE OR REPLACE FUNCTION build_text_statistics(OUT documents bigint, OUT tokens bigint)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    TRUNCATE text_lexemes, text_lengths;
    IF distributed() THEN
        -- Each shard counts its documents; ts_stat would read all of them on the coordinator.
        INSERT INTO text_lexemes (lexeme, documents, occurrences)
        SELECT w.lexeme, count(*), sum(coalesce(cardinality(w.positions), 1))
          FROM dblp_text t CROSS JOIN LATERAL unnest(t.tsv) w GROUP BY w.lexeme;
    ELSE
        INSERT INTO text_lexemes (lexeme, documents, occurrences)
        SELECT s.word, s.ndoc, s.nentry FROM ts_stat('SELECT tsv FROM public.dblp_text') s;
    END IF;
    INSERT INTO text_lengths (id, tokens) SELECT t.id, text_length(t.tsv) FROM dblp_text t;
    IF NOT distributed() THEN  -- Citus cannot analyze shards in a transaction that wrote a table of every server
        ANALYZE dblp_text, text_lexemes, text_lengths;
    END IF;
    SELECT count(*) FILTER (WHERE l.tokens > 0), coalesce(sum(l.tokens), 0) INTO documents, tokens FROM text_lengths l;
END
$$;
COMMENT ON FUNCTION build_text_statistics() IS
'Part of index_text: fill document frequencies and document lengths for the portable BM25';
