-- text_status: the state of the text index against the table: one row.
--
--   rows       rows of dblp_text
--   measured   rows whose length the portable BM25 knows
--   documents  those of them with at least one token, as counted by the build
--   indexed    documents the BM25 index of pg_textsearch says it holds; NULL where there is none or this role may not
--              ask
--   stale      dblp_text was written to after the build, or another version of PostgreSQL or other dictionaries built
--              it
--   sound      built, not stale, all counts agree, and the index holds nothing of transactions that were rolled back
--   note       why an index is stale that was not written to (text_index_outdated)
--
-- Without an index all but rows and sound are NULL.
CREATE OR REPLACE FUNCTION text_status(
    OUT engine text, OUT config regconfig, OUT k1 double precision, OUT b double precision,
    OUT rows bigint, OUT measured bigint, OUT documents bigint, OUT indexed bigint, OUT tokens bigint,
    OUT stale boolean, OUT sound boolean, OUT built timestamptz, OUT note text
)
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    SELECT s.engine, s.config, s.k1, s.b, s.documents, s.tokens, s.stale, s.built
      INTO engine, config, k1, b, documents, tokens, stale, built
      FROM text_index s;
    note := text_index_outdated();
    stale := text_status.stale OR note IS NOT NULL;
    SELECT count(*) INTO rows FROM dblp_text;
    SELECT count(*) INTO measured FROM text_lengths HAVING text_status.built IS NOT NULL;
    IF to_regclass('dblp_text_bm25') IS NOT NULL
        AND has_function_privilege('bm25_summarize_index(text)', 'execute') THEN
        -- EXECUTE: the function is not there without the extension.
        EXECUTE $sql$SELECT substring(bm25_summarize_index('dblp_text_bm25') FROM 'total_docs: (\d+)')::bigint$sql$
            INTO indexed;
    END IF;
    sound := coalesce(
        NOT text_status.stale AND rows = measured AND coalesce(indexed, documents) = documents
            AND NOT text_index_touched()
        AND (text_status.engine = 'portable' OR to_regclass('dblp_text_bm25') IS NOT NULL), false);
END
$$;
COMMENT ON FUNCTION text_status() IS 'The state of the text index against dblp_text: engine, counts, stale, sound';
