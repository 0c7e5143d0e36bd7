-- simulated_note: note to print with data of some editions; NULL if none of them is simulated.
--
-- editions: their names; NULL means every edition that the caller may see. Names that are not editions are ignored.
-- annotations: also report simulated annotators of complexity and credibility, if the caller may read them.
-- mark_simulated marks an edition.
CREATE OR REPLACE FUNCTION simulated_note(editions text[] DEFAULT NULL, annotations boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    note text;
    people bigint;
BEGIN
    SELECT format('judgments of the edition%s %s', CASE WHEN count(*) > 1 THEN 's' END,
                  string_agg(e.edition, ', ' ORDER BY e.edition COLLATE "C"))
      INTO note
      FROM qrels_editions e
     WHERE e.simulated AND (simulated_note.editions IS NULL OR e.edition = ANY (simulated_note.editions))
    HAVING count(*) > 0;
    IF simulated_note.annotations AND sees_all_rows() THEN
        SELECT count(*) INTO people FROM annotators a WHERE a.simulated;
        note := concat_ws('; ', note, CASE WHEN people > 0 THEN 'grades by ' || counted(people, 'annotator') END);
    END IF;
    RETURN 'Simulated: ' || nullif(note, '') || '.';
END
$$;
COMMENT ON FUNCTION simulated_note(text[], boolean) IS
    'Note to print with simulated judgments or grades; NULL if none is simulated';
