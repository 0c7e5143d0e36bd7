-- drop_file: remove the judgments that a file added to an edition, and the file's ledger entry. An edition left without
-- judgments, preferences and files is removed as well.
--
--   removed           number of judgments removed
--   shared            number of judgments kept because another file of the edition contains them
--   edition_dropped   true if the edition was removed
--
-- Scores of the edition are computed again. Raises the errors of stage_file_removal.
CREATE OR REPLACE FUNCTION drop_file(file integer, OUT removed bigint, OUT shared bigint, OUT edition_dropped boolean)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
BEGIN
    SELECT s.edition, s.shared, s.empties INTO edition_id, shared, edition_dropped
      FROM stage_file_removal(drop_file.file) s;
    PERFORM set_config('stcollection.drop_edition', edition_id::text, true);  -- see qrels_append_only
    DELETE FROM qrels_judgments j USING pg_temp.removal r WHERE r.id = j.id AND j.edition = edition_id;
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('stcollection.drop_edition', '', true);
    UPDATE qrels_editions e SET version = e.version + 1 WHERE e.id = edition_id;
    DELETE FROM qrels_files f USING qrels_files o
     WHERE o.id = drop_file.file AND f.edition = edition_id
       AND f.path = o.path AND f.sha256 IS NOT DISTINCT FROM o.sha256;
    IF edition_dropped THEN
        PERFORM drop_edition((SELECT e.edition FROM qrels_editions e WHERE e.id = edition_id));
    END IF;
    DROP TABLE pg_temp.removal;
END
$$;
COMMENT ON FUNCTION drop_file(integer) IS
    'Removes the judgments that a file added to an edition, and its ledger entry; an edition left empty is removed '
    'too';
