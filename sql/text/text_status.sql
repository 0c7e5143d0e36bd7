-- text_status: the state of the text index compared with the table, as one row.
--
--   words      how words of texts and queries are separated: split or published (text_words)
--   rows       number of rows of dblp_text
--   measured   number of rows whose length is stored for the portable BM25
--   documents  number of these with at least one token, counted at the build
--   indexed    number of documents in the BM25 index (text_indexed); NULL: no such index, or this role lacks the right
--              to query it
--   lost       number of documents that this index does not return although they have words (text_index_lost). Without
--              verify it is 0 if all were found after the build. NULL: no such index, or its library is not loaded
--   stale      dblp_text changed after the build, or another PostgreSQL version or other dictionaries built the index
--   sound      the index is built and not stale, all counts agree, no document is lost, and it contains no documents
--              of transactions that were rolled back
--   note       reason why an index is stale although dblp_text did not change (text_index_outdated)
--
-- Without an index, all columns except words, rows and sound are NULL.
CREATE OR REPLACE FUNCTION text_status(
    verify boolean DEFAULT false,
    OUT engine text, OUT config regconfig, OUT words text, OUT k1 double precision, OUT b double precision,
    OUT rows bigint, OUT measured bigint, OUT documents bigint, OUT indexed bigint, OUT lost bigint,
    OUT tokens bigint, OUT stale boolean, OUT sound boolean, OUT built timestamptz, OUT note text
)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    SELECT s.engine, s.config, s.k1, s.b, s.documents, s.tokens, s.stale, s.built
      INTO engine, config, k1, b, documents, tokens, stale, built
      FROM text_index s;
    words := text_words();
    note := text_index_outdated();
    stale := text_status.stale OR note IS NOT NULL;
    SELECT count(*) INTO rows FROM dblp_text;
    SELECT count(*) INTO measured FROM text_lengths HAVING text_status.built IS NOT NULL;
    indexed := text_indexed();
    IF NOT text_status.stale AND text_status.engine = 'pg_textsearch' THEN
        lost := CASE WHEN NOT text_status.verify
                          AND obj_description(to_regclass('dblp_text_bm25'), 'pg_class') LIKE '%found'
                     THEN 0 ELSE cardinality(text_index_lost()) END;
    END IF;
    sound := coalesce(
        NOT text_status.stale AND rows = measured AND coalesce(indexed, documents) = documents
            AND NOT text_index_touched() AND coalesce(lost, 0) = 0
        AND (text_status.engine = 'portable' OR to_regclass('dblp_text_bm25') IS NOT NULL), false);
END
$$;
COMMENT ON FUNCTION text_status(boolean) IS
'State of the text index compared with dblp_text: engine, counts, stale, sound';
