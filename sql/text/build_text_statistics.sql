-- build_text_statistics: fill the statistics of the portable BM25: the document frequency of each word and the length
-- of each document. index_text calls it and holds the lock.
--
-- In a distributed collection it also returns a document of each shard (anchors), and stores for each word the smallest
-- idf that the BM25 index of a shard would give it, for the average length of all documents: idf / r of bm25_on_shards.
--
-- :returns the number of documents with at least one token, and the number of tokens in all documents. Empty documents
-- are not counted, as in Lucene.
CREATE OR REPLACE FUNCTION build_text_statistics(
    OUT documents bigint, OUT tokens bigint, OUT anchors bigint[]
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    names text[];
    numbers bigint[];
    lengths bigint[];
    average double precision;
BEGIN
    TRUNCATE text_lexemes, text_lengths;
    IF distributed() THEN
        -- Each shard counts its documents; ts_stat would read all of them on the coordinator.
        SELECT array_agg(s.shard), array_agg(s.documents), array_agg(s.tokens), array_agg(s.anchor)
          INTO names, numbers, lengths, anchors
          FROM (SELECT t.tableoid::regclass::text AS shard, count(*) FILTER (WHERE t.tsv <> '') AS documents,
                       sum(text_length(t.tsv)) AS tokens, min(t.id) AS anchor
                  FROM dblp_text t GROUP BY 1) s;
        SELECT sum(u.tokens) / nullif(sum(u.documents), 0) INTO average
          FROM unnest(numbers, lengths) u (documents, tokens);
        CREATE TEMPORARY TABLE shard_lexemes ON COMMIT DROP AS
        SELECT t.tableoid::regclass::text AS shard, w.lexeme, count(*) AS documents,
               sum(coalesce(cardinality(w.positions), 1)) AS occurrences
          FROM dblp_text t CROSS JOIN LATERAL unnest(t.tsv) w GROUP BY 1, 2;
        INSERT INTO text_lexemes (lexeme, documents, occurrences, least_idf)
        SELECT x.lexeme, sum(x.documents), sum(x.occurrences),
               min(ln(1 + (s.documents - x.documents + 0.5) / (x.documents + 0.5))
                   / greatest(1, average * s.documents / s.tokens))
          FROM pg_temp.shard_lexemes x
          JOIN unnest(names, numbers::double precision[], lengths) s (shard, documents, tokens) USING (shard)
         GROUP BY x.lexeme;
        DROP TABLE pg_temp.shard_lexemes;
        anchors := anchors || array_fill(NULL::bigint, ARRAY[shards('dblp_text') - cardinality(anchors)]);
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
