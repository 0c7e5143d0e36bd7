-- bm25_stand_in: whether the portable BM25 may answer in place of pg_textsearch, for a state of the text index (all
-- NULL: there is none) and the engine that was asked for. Says with a NOTICE what is unusual. See bm25_search for the
-- rule.
-- Raises IR401, IR402.
CREATE OR REPLACE FUNCTION bm25_stand_in(state text_index, engine text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF bm25_stand_in.engine = 'portable' THEN
        IF coalesce((bm25_stand_in.state).stale, true) THEN
            RAISE NOTICE 'the text index is % : BM25 is computed from the rows as they are, which is slow',
                CASE WHEN bm25_stand_in.state IS NULL THEN 'missing' ELSE 'stale' END
                USING HINT = 'Build it: stc text index.';
        END IF;
    ELSIF bm25_stand_in.state IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402', MESSAGE = 'there is no text index', HINT = 'Build it: stc text index.';
    ELSIF (bm25_stand_in.state).stale THEN
        RAISE EXCEPTION USING ERRCODE = 'IR401',
            MESSAGE = 'the text index is stale: documents were written after it was built',
            HINT = 'Build it again: stc text index. Or ask for engine => ''portable'', which reads the rows as they '
                   'are.';
    ELSIF text_index_touched() THEN
        IF bm25_stand_in.engine = 'pg_textsearch' THEN
            RAISE EXCEPTION USING ERRCODE = 'IR401',
                MESSAGE = 'the BM25 index of pg_textsearch holds documents that were never committed, and scores with '
                          'them',
                HINT = 'Build it again: stc text index. Or leave the engine out.';
        END IF;
        RAISE NOTICE 'the BM25 index of pg_textsearch holds documents that were never committed: the portable BM25 '
                     'answers'
            USING HINT = 'Build it again: stc text index.';
    ELSIF bm25_stand_in.engine = 'pg_textsearch' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402',
            MESSAGE = 'there is no BM25 index of pg_textsearch, or its library is not loaded',
            HINT = 'Build it: stc text index --engine pg_textsearch. Or leave the engine out.';
    ELSIF (bm25_stand_in.state).engine = 'pg_textsearch' THEN
        RAISE NOTICE 'the BM25 index of pg_textsearch is gone or its library not loaded: the portable BM25 answers'
            USING HINT = 'Build it again: stc text index --rebuild.';
    END IF;
END
$$;
COMMENT ON FUNCTION bm25_stand_in(text_index, text) IS 'Raise unless the portable BM25 may answer for pg_textsearch';
