-- corpus_comments: the comments of the tables for the corpus, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION corpus_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('dblp', NULL, 'The corpus, one JSON document per row'),
    ('dblp', 'id', 'number of the document, used in joins; equal to docno if docno is a number'),
    ('dblp', 'docno', 'name of the document in files and other systems; default: the id in the record, or dblp.id'),
    ('dblp', 'doc', 'the record as imported'),
    ('dblp', 'stub', 'true: ranked or judged but not in the corpus; never retrieved'),

    ('dblp_facts', NULL,
     'Facts about each document that filters read, updated by a trigger on dblp; stubs have no row'),
    ('dblp_facts', 'id', 'document: dblp.id'),
    ('dblp_facts', 'year', 'year of publication'),
    ('dblp_facts', 'n_citation', 'number of citations'),
    ('dblp_facts', 'doc_type', 'type of the publication, as Conference or Journal'),
    ('dblp_facts', 'venue', 'name of the conference or journal'),
    ('dblp_facts', 'n_reference', 'number of references in the document'),
    ('dblp_facts', 'licence', 'licence that the record states, in one spelling: cc-by; NULL: none'),
    ('dblp_facts', 'data_source',
     'format of the file that the record comes from, or name of its data set; NULL: unknown'),

    ('dblp_facts', 'first_date',
     'date of the first snapshot that contains the document; NULL: not from a snapshot'),
    ('dblp_facts', 'last_date',
     'date of the last snapshot that contains the document; NULL: not from a snapshot'),

    ('dblp_facts', 'absent',
     'dates of snapshots between first_date and last_date that lack the document; NULL: none'),
    ('corpus_snapshots', NULL, 'Files that are snapshots of the collection at a date'),
    ('corpus_snapshots', 'day', 'date of the snapshot'),
    ('corpus_snapshots', 'file', 'file that is part of the snapshot: corpus_files.id'),

    ('corpus_files', NULL, 'Files loaded into the corpus, one row per file'),
    ('corpus_files', 'id', 'number of the file'),
    ('corpus_files', 'path', 'path of the loaded file'),
    ('corpus_files', 'sha256', 'SHA-256 of the file, in hexadecimal'),
    ('corpus_files', 'bytes', 'size of the file in bytes'),
    ('corpus_files', 'format', 'name of the file format'),
    ('corpus_files', 'state',
     'loading: in progress or interrupted; loaded: complete; incomplete: some of its documents were removed'),
    ('corpus_files', 'documents', 'number of documents stored from the file'),
    ('corpus_files', 'duplicates', 'number of records whose document was already stored'),
    ('corpus_files', 'rejects', 'number of records that could not be stored'),
    ('corpus_files', 'seconds', 'duration of the load in seconds'),
    ('corpus_files', 'started', 'when the load started'),
    ('corpus_files', 'finished', 'when the load finished; NULL: it has not'),

    ('corpus_chunks', NULL, 'Committed chunks of each file; an interrupted load resumes after them'),
    ('corpus_chunks', 'file', 'file: corpus_files.id'),
    ('corpus_chunks', 'chunk', 'number of the chunk in the file'),
    ('corpus_chunks', 'documents', 'number of documents stored from the chunk'),
    ('corpus_chunks', 'duplicates', 'number of records whose document was already stored'),
    ('corpus_chunks', 'rejects', 'number of records that could not be stored'),
    ('corpus_chunks', 'docs',
     'documents of the chunk in the corpus: dblp.id; NULL: stored by an earlier version, which did not record them'),
    ('corpus_chunks', 'incomplete',
     'true: documents of the chunk were removed; the next load of the file stores them again'),

    ('corpus_rejects', NULL, 'Records of a file that could not be stored, with line number and reason'),
    ('corpus_rejects', 'file', 'file: corpus_files.id'),
    ('corpus_rejects', 'line', 'line number in the file, from 1'),
    ('corpus_rejects', 'docno', 'id of the document in the file, if it could be read'),
    ('corpus_rejects', 'reason', 'the reason in words, with the value'),
    ('corpus_rejects', 'record', 'first 1,000 characters of the record')
$$;
COMMENT ON FUNCTION corpus_comments() IS
'Comments of the tables for the corpus, and of their columns';
