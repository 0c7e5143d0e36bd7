-- fill_sheet: store the grades and notes of a completed sheet, all or none. lines is an array of {line, token, rel,
-- note}.
--
-- A line without a grade is not judged yet and removes no stored grade; an empty note removes no stored note.
--
--   graded      new grades
--   regraded    changed grades
--   unchanged   grades equal to the stored ones
--   blank       lines without a grade
--
-- Raises IR301 the first error of the sheet (sheet_faults), IR110 no such pool, IR202 the pool is not shared with the
-- annotator.
CREATE OR REPLACE FUNCTION fill_sheet(pool text, annotator text, lines jsonb)
RETURNS TABLE (graded bigint, regraded bigint, unchanged bigint, blank bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(fill_sheet.pool);
    bad record;
BEGIN
    PERFORM FROM qrels_pools p WHERE p.id = pool_id FOR SHARE;
    PERFORM FROM qrels_assessments a WHERE a.pool = pool_id AND a.annotator = fill_sheet.annotator COLLATE "C"
      ORDER BY a.query, a.doc FOR UPDATE;
    SELECT f.line, f.fault INTO bad FROM sheet_faults(fill_sheet.pool, fill_sheet.annotator, fill_sheet.lines) f
     ORDER BY f.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301', MESSAGE = format('line %s: %s', bad.line, bad.fault),
            HINT = 'Correct the line. Nothing was stored.';
    END IF;
    WITH incoming AS (
        SELECT s.query, s.doc, l.rel, nullif(l.note, '') AS note
          FROM jsonb_to_recordset(fill_sheet.lines) AS l (line integer, token text, rel integer, note text)
          JOIN pool_share(fill_sheet.pool, fill_sheet.annotator) s ON s.token = l.token),
    compared AS (
        SELECT i.*, a.rel AS stored_rel, a.note AS stored_note
          FROM incoming i
          LEFT JOIN qrels_assessments a
            ON a.pool = pool_id AND a.query = i.query AND a.doc = i.doc
                AND a.annotator = fill_sheet.annotator COLLATE "C"),
    written AS (
        INSERT INTO qrels_assessments AS a (pool, query, doc, annotator, rel, note, changed)
        SELECT pool_id, c.query, c.doc, fill_sheet.annotator, c.rel, c.note, clock_timestamp() FROM compared c
         WHERE (c.rel IS NOT NULL AND c.rel IS DISTINCT FROM c.stored_rel)
            OR (c.note IS NOT NULL AND c.note IS DISTINCT FROM c.stored_note)
        ON CONFLICT (pool, query, doc, annotator) DO UPDATE
           SET rel = coalesce(excluded.rel, a.rel), undecided = a.undecided AND excluded.rel IS NULL,
               note = coalesce(excluded.note, a.note), changed = excluded.changed,
               label_seen = CASE WHEN excluded.rel IS NOT NULL AND excluded.rel IS DISTINCT FROM a.rel
                                 THEN a.label IS NOT NULL ELSE a.label_seen END)
    SELECT count(*) FILTER (WHERE c.rel IS NOT NULL AND c.stored_rel IS NULL),
           count(*) FILTER (WHERE c.rel <> c.stored_rel), count(*) FILTER (WHERE c.rel = c.stored_rel),
           count(*) FILTER (WHERE c.rel IS NULL)
      INTO graded, regraded, unchanged, blank FROM compared c;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION fill_sheet(text, text, jsonb) IS
    'Stores the grades and notes of a completed sheet, all or none; returns the numbers of new, changed, equal and '
    'missing grades';
