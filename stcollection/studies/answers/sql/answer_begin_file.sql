-- answer_begin_file: open a file of a split in the ledger, and return its number; NULL if a file of this kind with the
-- same content is already loaded.
--
-- The split is created if it does not exist. No other transaction can load into the split until this one ends.
--
-- Raises IR202 another file of this kind is loaded, or the name is empty; IR405 gold before documents, or templates
-- before any query.
CREATE OR REPLACE FUNCTION answer_begin_file(set text, split text, kind text, path text, sha256 text, size bigint)
    RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    set_id integer;
    there record;
    file_id integer;
BEGIN
    IF btrim(answer_begin_file.set) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the data set is empty',
            HINT = 'Give the data set a name, such as sample.';
    END IF;
    PERFORM check_name('data set', answer_begin_file.set);
    PERFORM pg_advisory_xact_lock(hashtext('answer_begin_file'),
                                  hashtext(concat(answer_begin_file.split, ' ', answer_begin_file.set)));
    INSERT INTO answer_sets (set, split, hidden)
    VALUES (answer_begin_file.set, answer_begin_file.split, answer_begin_file.split = 'test') ON CONFLICT DO NOTHING;
    set_id := answer_set_key(answer_begin_file.set, answer_begin_file.split);
    SELECT f.path, f.sha256 INTO there FROM answer_files f WHERE f.set = set_id AND f.kind = answer_begin_file.kind;
    IF there.sha256 = answer_begin_file.sha256 THEN
        RETURN NULL;
    ELSIF there.sha256 IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the %s of %L, split %s, are already loaded from another file: %s', answer_begin_file.kind,
                             answer_begin_file.set,
                             answer_begin_file.split, there.path),
            HINT = 'Choose another name, or use --replace to replace the whole split by the given files.';
    ELSIF answer_begin_file.kind = 'gold'
          AND NOT EXISTS (SELECT FROM answer_files f WHERE f.set = set_id AND f.kind = 'documents') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%L, split %s, has no documents for the gold file', answer_begin_file.set,
                             answer_begin_file.split),
            HINT = 'Load its documents first, or together with it: --documents FILE.';
    ELSIF answer_begin_file.kind = 'templates' AND NOT EXISTS (SELECT FROM answer_queries q WHERE q.set = set_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%L, split %s, has no queries for the templates', answer_begin_file.set,
                             answer_begin_file.split),
            HINT = 'Load its documents or its pairs first, or together with them.';
    END IF;
    INSERT INTO answer_files (set, kind, path, sha256, size, loaded)
    VALUES (set_id, answer_begin_file.kind, answer_begin_file.path, answer_begin_file.sha256, answer_begin_file.size,
            clock_timestamp())
    RETURNING id INTO file_id;
    RETURN file_id;
END
$$;
COMMENT ON FUNCTION answer_begin_file(text, text, text, text, text, bigint) IS
    'Opens a file of a split in the ledger and returns its number; NULL if it is already loaded';
