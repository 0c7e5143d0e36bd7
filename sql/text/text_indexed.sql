-- text_indexed: the number of documents in the BM25 index as reported by pg_textsearch; NULL if there is no such index,
-- or if this role lacks the right to query it.
CREATE OR REPLACE FUNCTION text_indexed()
RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    indexed bigint;
BEGIN
    IF to_regclass('dblp_text_bm25') IS NOT NULL
        AND has_function_privilege('bm25_summarize_index(text)', 'execute') THEN
        -- EXECUTE: without the extension the function does not exist.
        EXECUTE $sql$SELECT substring(bm25_summarize_index('dblp_text_bm25') FROM 'total_docs: (\d+)')::bigint$sql$
            INTO indexed;
    END IF;
    RETURN indexed;
END
$$;
COMMENT ON FUNCTION text_indexed() IS
'Number of documents in the BM25 index; NULL without one, or without the right to query it';
