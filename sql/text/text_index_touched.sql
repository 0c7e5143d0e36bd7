-- text_index_touched: return true if documents were added to an index of pg_textsearch after its build, even by
-- transactions that did not commit. index: by default that of the text.
--
-- A write to dblp_text marks the text index as stale in the same transaction (text_mark_stale). pg_textsearch 1.0 is
-- not transactional: documents of a transaction that was rolled back, or interrupted by a crash, remain in its counts
-- and affect every score, while the mark is rolled back. Therefore this function looks at the index. Documents added
-- after a build are listed on a separate page, so the index is larger than the size that index_text stored in its
-- comment.
--
-- Measured with 1.0.0, where neither VACUUM nor a restart changes the size; false from 1.5 on, and if no index exists.
-- Written so that PostgreSQL inlines it, because every search calls it.
CREATE OR REPLACE FUNCTION text_index_touched(index regclass DEFAULT to_regclass('public.dblp_text_bm25'))
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(
    pg_relation_size(index)
        <> substring(obj_description(index, 'pg_class') FROM '^sealed at (\d+) bytes')::bigint
    AND substring(current_setting('pg_textsearch.library_version', true) FROM '^(\d+\.\d+)')::numeric < 1.5, false);
COMMENT ON FUNCTION text_index_touched(regclass) IS
'True if documents were added to an index of pg_textsearch after its build, even by transactions that were rolled back';
