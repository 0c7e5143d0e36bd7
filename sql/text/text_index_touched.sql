-- text_index_touched: whether the BM25 index of pg_textsearch holds documents that came after its build, committed or not.
--
-- What is written to dblp_text marks the text index stale in the same transaction (text_mark_stale). pg_textsearch 1.0 keeps no
-- transactions: documents of one that was rolled back, or that a crash cut off, stay in its counts, and every score is computed with
-- them. The mark went with the transaction; so the index itself is asked. A build leaves all documents in segments, and what comes
-- later is in the part in memory, which is also listed on disk for the time after a restart.
--
-- SECURITY DEFINER: pg_textsearch lets its owner alone look. False where there is no such index, or nobody may look into it.
CREATE OR REPLACE FUNCTION text_index_touched()
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
    summary text;
BEGIN
    IF to_regclass('dblp_text_bm25') IS NULL OR current_setting('pg_textsearch.library_version', true) IS NULL
        OR NOT has_function_privilege('bm25_summarize_index(text)', 'execute')
    THEN
        RETURN false;
    END IF;
    -- EXECUTE: the function is not there without the extension.
    EXECUTE $sql$SELECT bm25_summarize_index('dblp_text_bm25')$sql$ INTO summary;
    RETURN summary ~ 'Segment \d' AND summary ~ 'Memtable:\s+terms: \d+\s+documents: [1-9]|docids: [1-9]';
END
$$;
COMMENT ON FUNCTION text_index_touched() IS
'Whether the BM25 index of pg_textsearch holds documents that came after its build, also of transactions that were rolled back';
