-- corpus_begin: opens a file in the ledger, or finds it there by its SHA-256.
--
-- Returns its number, its state ('loaded': there is nothing to do; 'loading': new, or to be resumed; 'incomplete':
-- documents of it were removed), when it was finished, and the chunks that are committed and whole. sha256 NULL
-- (standard input, not yet read) is always new, and so is a file whose fields are named otherwise than when it was
-- loaded: its format is then like 'jsonl --map text=body'.
-- Raises IR202 where a load of the file was begun as another format: its chunks were other ones.
CREATE OR REPLACE FUNCTION corpus_begin(
    path text, sha256 text, bytes bigint, format text,
    OUT file integer, OUT state text, OUT finished timestamptz, OUT chunks integer[])
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    begun_as text;
BEGIN
    LOCK TABLE corpus_files IN SHARE ROW EXCLUSIVE MODE;   -- two loads of one file share its row
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
            MESSAGE = format('%s: its load was begun as %s, not %s', corpus_begin.path, begun_as, corpus_begin.format),
            HINT = format('Resume it with --format %s.', begun_as);
    END IF;
    chunks := ARRAY(SELECT k.chunk FROM corpus_chunks k WHERE k.file = corpus_begin.file AND NOT k.incomplete
                     ORDER BY k.chunk);
END
$$;
COMMENT ON FUNCTION corpus_begin(text, text, bigint, text) IS
    'Opens a file in the ledger, or finds it there by its SHA-256, with the chunks that are committed';
