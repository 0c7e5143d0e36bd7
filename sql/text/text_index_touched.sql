-- text_index_touched: whether documents came into the BM25 index of pg_textsearch after its build, committed or not.
--
-- What is written to dblp_text marks the text index stale in the same transaction (text_mark_stale). pg_textsearch 1.0
-- keeps no transactions: documents of one that was rolled back, or that a crash cut off, stay in its counts, and every
-- score is computed with them. The mark went with the transaction; so the index itself is looked at. What comes after a
-- build is listed on a page of its own, so the index is larger than index_text has noted in its comment.
--
-- Measured with 1.0.0, where neither VACUUM nor a restart changes the size; from 1.5 on nothing is said. False where
-- there is no index. Written so that it is inlined: it is asked at each search.
CREATE OR REPLACE FUNCTION text_index_touched()
RETURNS boolean
LANGUAGE sql STABLE
RETURN coalesce(
    pg_relation_size(to_regclass('public.dblp_text_bm25'))
        <> substring(obj_description(to_regclass('public.dblp_text_bm25'), 'pg_class')
                     FROM '^sealed at (\d+) bytes')::bigint
    AND substring(current_setting('pg_textsearch.library_version', true) FROM '^(\d+\.\d+)')::numeric < 1.5, false);
COMMENT ON FUNCTION text_index_touched() IS
'Whether documents came into the BM25 index of pg_textsearch after its build, also by transactions that were rolled '
'back';
