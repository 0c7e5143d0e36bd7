-- answer_finish_file: store the staged lines of a file (answer_stage) in the tables, and close the file in the ledger
-- with its counts. lines is the number of non-empty lines of the file.
CREATE OR REPLACE FUNCTION answer_finish_file(file integer, lines bigint) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    file_kind text := (SELECT f.kind FROM answer_files f WHERE f.id = answer_finish_file.file);
    lines_stored bigint;
    pairs_contradictory bigint := 0;
BEGIN
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_finish_file.file, w.line, w.problem, w.reason FROM pg_temp.answer_faults w ORDER BY w.line;
    IF file_kind = 'documents' THEN
        lines_stored := answer_load_documents(answer_finish_file.file);
    ELSIF file_kind = 'pairs' THEN
        SELECT p.stored, p.contradictory INTO lines_stored, pairs_contradictory
          FROM answer_load_pairs(answer_finish_file.file) p;
    ELSIF file_kind = 'relations' THEN
        SELECT p.stored, p.contradictory INTO lines_stored, pairs_contradictory
          FROM answer_load_relations(answer_finish_file.file) p;
    ELSE
        SELECT n.stored, n.contradictory INTO lines_stored, pairs_contradictory
          FROM answer_load_names(answer_finish_file.file, file_kind) n;
    END IF;
    UPDATE answer_files f
       SET lines = answer_finish_file.lines, stored = lines_stored, contradictory = pairs_contradictory,
           duplicates = c.duplicates, unknown = c.unknown, rejects = c.rejects,
           seconds = extract(epoch FROM clock_timestamp() - f.loaded), loaded = clock_timestamp()
      FROM (SELECT count(*) FILTER (WHERE r.problem = 'duplicate') AS duplicates,
                   count(*) FILTER (WHERE r.problem = 'unknown') AS unknown,
                   count(*) FILTER (WHERE r.problem = 'reject') AS rejects
              FROM answer_rejects r WHERE r.file = answer_finish_file.file) c
     WHERE f.id = answer_finish_file.file;
    DROP TABLE pg_temp.answer_lines, pg_temp.answer_names, pg_temp.answer_papers, pg_temp.answer_faults;
END
$$;
COMMENT ON FUNCTION answer_finish_file(integer, bigint) IS
    'Stores the staged lines of a file in the tables, and closes the file in the ledger with its counts';
