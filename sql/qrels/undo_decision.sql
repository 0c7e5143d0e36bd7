-- undo_decision: undo a decision by its id: give the document the state that it had before (restore_assessment).
--
-- Returns a row with the document's token and query if the caller stored a decision with this id, for an invited
-- assessor or not.
-- undone is true if it is undone now, or was before; false if the judgment was changed or submitted since, and is kept.
-- Decisions of another login cannot be undone. Raises the errors of restore_assessment.
CREATE OR REPLACE FUNCTION undo_decision(pool text, annotator text, decision text, invited boolean DEFAULT false)
RETURNS TABLE (token text, undone boolean, query_name text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(undo_decision.pool);
    stored record;
BEGIN
    SELECT s.token, q.query INTO token, query_name
      FROM qrels_decisions d
      JOIN st1_queries q ON q.id = d.query
     CROSS JOIN LATERAL pool_share(undo_decision.pool, undo_decision.annotator, d.query) s
     WHERE s.doc = d.doc AND d.pool = pool_id AND d.annotator = undo_decision.annotator COLLATE "C"
       AND d.decision = undo_decision.decision COLLATE "C"
       AND d.role = current_user::text COLLATE "C" AND d.invited = undo_decision.invited;
    IF token IS NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(assessment_lock(undo_decision.pool, undo_decision.annotator,
                                                  concat('decide ', token)));
    SELECT d.decided, d.rel, d.note, d.undecided, d.changed, d.undone INTO stored  -- current, under the lock
      FROM qrels_decisions d
     WHERE d.pool = pool_id AND d.annotator = undo_decision.annotator COLLATE "C"
       AND d.decision = undo_decision.decision COLLATE "C";
    undone := stored.undone IS NOT NULL
        OR restore_assessment(undo_decision.pool, undo_decision.annotator, token, stored.decided, stored.rel,
                              stored.note, stored.undecided, stored.changed, query_name);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION undo_decision(text, text, text, boolean) IS
    'Undoes a decision that the caller stored, by its id, unless the judgment changed since; no row if there is none';
