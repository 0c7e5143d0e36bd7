-- count_lexemes: as text/count_lexemes.sql, for several servers. Each shard counts its documents; ts_stat would read
-- all of them on the coordinator.
--
-- For each word it also stores the smallest idf that the BM25 index of a shard would give it, for the average length of
-- all documents: idf / r of bm25_on_shards. Nothing is analyzed: Citus cannot analyze shards in a transaction that
-- wrote a table of every server.
--
-- anchors: a document of each shard; NULL for each shard without documents.
CREATE OR REPLACE FUNCTION count_lexemes(OUT anchors bigint[])
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    names text[];
    numbers bigint[];
    lengths bigint[];
    average double precision;
BEGIN
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
END
$$;
COMMENT ON FUNCTION count_lexemes() IS 'Part of build_text_statistics: store the document frequency of each word';
