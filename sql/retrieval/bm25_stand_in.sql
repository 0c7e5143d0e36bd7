-- bm25_stand_in: raise an error unless the portable BM25 may answer instead of pg_textsearch; report unusual cases with
-- a NOTICE. bm25_search describes the rule.
--
-- state: the row of text_index; all NULL if no index exists. engine: the requested engine.
-- Raises IR401, IR402.
CREATE OR REPLACE FUNCTION bm25_stand_in(state text_index, engine text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    PERFORM check_text_major();
    IF bm25_stand_in.engine = 'portable' THEN
        IF coalesce((bm25_stand_in.state).stale, true) THEN
            RAISE NOTICE 'the text index is %: BM25 reads all rows, which is slow',
                CASE WHEN bm25_stand_in.state IS NULL THEN 'missing' ELSE 'stale' END
                USING HINT = 'Build it: stc index.';
        END IF;
    ELSIF bm25_stand_in.state IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402', MESSAGE = 'there is no text index', HINT = 'Build it: stc index.';
    ELSIF (bm25_stand_in.state).stale THEN
        RAISE EXCEPTION USING ERRCODE = 'IR401',
            MESSAGE = 'the text index is stale: documents were written after it was built',
            HINT = 'Rebuild it: stc index. Or use engine => ''portable'', which reads the rows directly.';
    ELSIF text_index_touched() THEN
        IF bm25_stand_in.engine = 'pg_textsearch' THEN
            RAISE EXCEPTION USING ERRCODE = 'IR401',
                MESSAGE = 'the BM25 index of pg_textsearch contains documents that were never committed, which '
                                'changes its scores',
                HINT = 'Rebuild it: stc index. Or omit the engine.';
        END IF;
        RAISE NOTICE 'the BM25 index of pg_textsearch contains documents that were never committed: the portable '
                           'BM25 answers'
            USING HINT = 'Rebuild it: stc index.';
    ELSIF bm25_stand_in.engine = 'pg_textsearch' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402',
            MESSAGE = 'the BM25 index of pg_textsearch is missing, or its library is not loaded',
            HINT = 'Build it: stc index --engine pg_textsearch. Or omit the engine.';
    ELSIF (bm25_stand_in.state).engine = 'pg_textsearch' THEN
        RAISE NOTICE 'the BM25 index of pg_textsearch is missing or its library not loaded: the portable BM25 answers'
            USING HINT = 'Rebuild it: stc index --rebuild.';
    END IF;
END
$$;
COMMENT ON FUNCTION bm25_stand_in(text_index, text) IS
'Raise an error unless the portable BM25 may answer instead of pg_textsearch';
