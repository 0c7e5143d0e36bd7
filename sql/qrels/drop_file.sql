-- drop_file: remove the judgments that a file added to an edition, and the file's ledger entry. An edition left without
-- judgments, preferences and files is removed as well.
--
--   removed           number of judgments removed
--   shared            number of judgments kept because another file of the edition contains them
--   edition_dropped   true if the edition was removed
--
-- Scores of the edition are computed again. Raises the errors of file_removal.
CREATE OR REPLACE FUNCTION drop_file(file integer, OUT removed bigint, OUT shared bigint, OUT edition_dropped boolean)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
BEGIN
    SELECT r.edition, cardinality(r.ids), r.shared, r.empties INTO edition_id, removed, shared, edition_dropped
      FROM file_removal(drop_file.file) r;
    INSERT INTO removals (kind, id) VALUES ('file', drop_file.file);
    IF edition_dropped THEN
        INSERT INTO removals (kind, id) VALUES ('edition', edition_id);
    END IF;
END
$$;
COMMENT ON FUNCTION drop_file(integer) IS
    'Removes the judgments that a file added to an edition, and its ledger entry; an edition left empty is removed '
    'too';
