-- restore_assessment: undo a decision: give a document of the sheet the state that it had before. Returns true if
-- restored.
--
-- seen is pool_sheet.changed after the decision to undo. The other arguments are the state before it; changed NULL
-- means that there was no decision, and then the row is removed; if a language model's label was shown, the row stays
-- as a skipped document, so that the next grade is stored with label_seen. Returns false if another decision was stored
-- meanwhile, or if the judgment was submitted; it is then kept. A decision with an id is marked as undone, so that a
-- late repetition of it stores nothing. of_query: name of the document's query, if it is known.
-- Raises IR110 no such pool, IR202 the pool is not shared with the annotator, or the grade is not in the scale.
CREATE OR REPLACE FUNCTION restore_assessment(pool text, annotator text, token text, seen timestamptz, rel integer,
                                              note text, undecided boolean, changed timestamptz,
                                              of_query text DEFAULT NULL)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(restore_assessment.pool);
    document record;
    restored boolean;
BEGIN
    PERFORM FROM qrels_pools p
      WHERE p.id = pool_id AND (restore_assessment.rel IS NULL OR p.params -> 'grades' ? restore_assessment.rel::text)
        FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not a grade of pool %L', restore_assessment.rel, restore_assessment.pool),
            HINT = 'Undo restores a grade that the sheet had before.';
    END IF;
    PERFORM pg_advisory_xact_lock(assessment_lock(restore_assessment.pool, restore_assessment.annotator,
                                                  concat('decide ', restore_assessment.token)));
    SELECT s.query, s.doc INTO document
      FROM sheet_document(restore_assessment.pool, restore_assessment.annotator, restore_assessment.token,
                          restore_assessment.of_query) s;
    UPDATE qrels_assessments a
       SET rel = NULL, note = nullif(restore_assessment.note, ''), undecided = false, decision = NULL,
           label_seen = false, changed = clock_timestamp()
     WHERE restore_assessment.changed IS NULL AND a.label IS NOT NULL
       AND a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
       AND a.annotator = restore_assessment.annotator COLLATE "C"
       AND a.changed = restore_assessment.seen AND a.submitted IS NULL;
    restored := FOUND;
    IF restored THEN
        NULL;
    ELSIF restore_assessment.changed IS NULL THEN
        DELETE FROM qrels_assessments a
         WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
           AND a.annotator = restore_assessment.annotator COLLATE "C"
           AND a.changed = restore_assessment.seen AND a.submitted IS NULL;
        restored := FOUND;
    ELSE
        UPDATE qrels_assessments a
           SET rel = restore_assessment.rel, note = nullif(restore_assessment.note, ''),
               undecided = restore_assessment.undecided, changed = restore_assessment.changed, decision = NULL
         WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
           AND a.annotator = restore_assessment.annotator COLLATE "C"
           AND a.changed = restore_assessment.seen AND a.submitted IS NULL;
        restored := FOUND;
    END IF;
    UPDATE qrels_decisions d SET undone = clock_timestamp()
     WHERE restored AND d.undone IS NULL AND d.decided = restore_assessment.seen
       AND d.pool = pool_id AND d.query = document.query AND d.doc = document.doc
       AND d.annotator = restore_assessment.annotator COLLATE "C";
    RETURN restored;
END
$$;
COMMENT ON FUNCTION restore_assessment(text, text, text, timestamptz, integer, text, boolean, timestamptz, text) IS
    'Undoes a decision on a sheet unless it changed since; returns true if the earlier state was restored';
