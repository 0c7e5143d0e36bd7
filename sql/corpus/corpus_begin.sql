-- corpus_begin: add a file to the ledger, or find it there by its SHA-256.
--
-- Returns the number of the file, its state ('loaded': nothing to do; 'loading': new or to be resumed; 'incomplete':
-- some of its documents were removed), when it was finished, and the chunks that are committed and complete. A file
-- without SHA-256 (standard input, not yet read) is always new. So is a file loaded before with another mapping of
-- fields: its format is then like 'jsonl --map text=body'.
-- Raises IR202 if the load of the file began with another format, because its chunks differ.
CREATE OR REPLACE FUNCTION corpus_begin(
    path text, sha256 text, bytes bigint, format text,
    OUT file integer, OUT state text, OUT finished timestamptz, OUT chunks integer[])
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    begun_as text;
BEGIN
    LOCK TABLE corpus_files IN SHARE ROW EXCLUSIVE MODE;   -- concurrent loads of one file share its row
    SELECT f.id, f.state, f.finished, f.format INTO file, state, finished, begun_as
      FROM corpus_files f WHERE f.sha256 = corpus_begin.sha256
       AND (f.state <> 'loaded' OR f.format = corpus_begin.format OR corpus_begin.format NOT LIKE '% --map %')
     ORDER BY f.state = 'loaded' DESC, f.id LIMIT 1;
    IF NOT FOUND THEN
        INSERT INTO corpus_files AS f (path, sha256, bytes, format)
        VALUES (corpus_begin.path, corpus_begin.sha256, corpus_begin.bytes, corpus_begin.format)
        RETURNING f.id, f.state INTO file, state;
    ELSIF state <> 'loaded' AND begun_as <> corpus_begin.format THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s: its load began with format %s, not %s', corpus_begin.path, begun_as,
                             corpus_begin.format),
            HINT = format('Resume it with --format %s.', begun_as);
    END IF;
    chunks := ARRAY(SELECT k.chunk FROM corpus_chunks k WHERE k.file = corpus_begin.file AND NOT k.incomplete
                     ORDER BY k.chunk);
END
$$;
COMMENT ON FUNCTION corpus_begin(text, text, bigint, text) IS
'Add a file to the ledger, or find it there by its SHA-256, with its committed chunks';
