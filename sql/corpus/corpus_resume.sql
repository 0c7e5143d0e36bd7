-- corpus_resume: find a file in the ledger whose load is unfinished, by its SHA-256.
--
-- Returns the number of the file, and its chunks that are committed and complete; NULL if there is nothing to resume. A
-- load that stored nothing is not resumed.
-- Raises IR202 if the load of the file began with another format, because its chunks differ.
CREATE OR REPLACE FUNCTION corpus_resume(path text, sha256 text, format text, OUT file integer, OUT chunks integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    begun_as text;
BEGIN
    SELECT f.id, f.format INTO file, begun_as FROM corpus_files f
     WHERE f.sha256 = corpus_resume.sha256 AND f.state <> 'loaded' AND stored_documents(f.id)
     ORDER BY f.format = corpus_resume.format DESC, f.id LIMIT 1;
    IF begun_as <> corpus_resume.format THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s: its load began with format %s, not %s', corpus_resume.path, begun_as,
                             corpus_resume.format),
            HINT = format('Resume it with --format %s, or remove what it stored: stc drop documents --file %s.',
                          begun_as, left(corpus_resume.sha256, 12));
    END IF;
    chunks := ARRAY(SELECT k.chunk FROM corpus_chunks k WHERE k.file = corpus_resume.file AND NOT k.incomplete
                     ORDER BY k.chunk);
END
$$;
COMMENT ON FUNCTION corpus_resume(text, text, text) IS
'Find a file in the ledger whose load is unfinished, by its SHA-256, with its committed chunks';
