-- assess: record an annotator's decision on a document of the sheet: a grade, NULL to skip it, or NULL with undecided
-- if the annotator cannot decide. Returns true if the sheet changed.
--
-- token: as in pool_share. note NULL keeps the stored note; an empty note removes it. A grade can be changed until it
-- is submitted (submit_pool). Skipping does not remove a grade or an undecided outcome; undecided removes the grade.
--
--   seconds    time from showing the document to the decision; at most 600 are stored
--   decision   id of the decision, stored so that assess_seen recognises it
--   labels     the annotator's page shows labels of a language model if the pool allows it (label_pool). The label is
--              then stored, and label_seen if it was visible before a grade or outcome was given
--   of_query   name of the document's query, if it is known: it is then found faster
--
-- Raises IR110 no such pool, IR202 the document is not on the sheet, the grade is not in the scale, a grade is given
-- with undecided, or the judgment was already submitted.
CREATE OR REPLACE FUNCTION assess(pool text, annotator text, token text, rel integer, note text DEFAULT NULL,
                                  undecided boolean DEFAULT false, seconds double precision DEFAULT NULL,
                                  decision text DEFAULT NULL, labels boolean DEFAULT false,
                                  of_query text DEFAULT NULL)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(assess.pool);
    grades jsonb := (SELECT p.params -> 'grades' FROM qrels_pools p WHERE p.id = pool_id FOR SHARE);
    document record;
    stored record;
    label record;
BEGIN
    SELECT s.query, s.doc INTO document
      FROM sheet_document(assess.pool, assess.annotator, assess.token, assess.of_query) s;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not on the sheet of %s', assess.token, assess.annotator),
            HINT = 'stc.pool_sheet(pool, annotator) shows the sheet.';
    ELSIF assess.rel IS NOT NULL AND NOT grades ? assess.rel::text THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not a grade of pool %L', assess.rel, assess.pool),
            HINT = format('Its grades are %s.',
                          (SELECT string_agg(g, ', ' ORDER BY g) FROM jsonb_object_keys(grades) g));
    ELSIF assess.undecided AND assess.rel IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('grade %s is given with "cannot decide"', assess.rel),
            HINT = 'Give a grade, or undecided without a grade.';
    END IF;
    SELECT a.rel, a.note, a.submitted, a.undecided, a.label INTO stored FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
       AND a.annotator = assess.annotator COLLATE "C"
       FOR UPDATE;
    IF stored.submitted IS NOT NULL
       AND (assess.undecided OR coalesce(assess.rel, stored.rel) <> stored.rel
            OR coalesce(assess.note, stored.note, '') IS DISTINCT FROM coalesce(stored.note, '')) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'this judgment was submitted and can no longer be changed',
            HINT = 'Judgments are append-only. To correct one, judge into another edition.';
    ELSIF stored.submitted IS NOT NULL THEN
        RETURN false;
    END IF;
    SELECT l.rel, l.beside INTO label FROM pool_label(pool_id, document.query, document.doc) l
     WHERE assess.labels AND (l.beside OR assess.rel IS NOT NULL OR assess.undecided);
    INSERT INTO qrels_assessments AS a
           (pool, query, doc, annotator, rel, note, changed, undecided, seconds, decision, label, label_seen)
    VALUES (pool_id, document.query, document.doc, assess.annotator, assess.rel, nullif(assess.note, ''),
            clock_timestamp(), assess.undecided,
            CASE WHEN assess.seconds >= 0 THEN least(assess.seconds, 600) END, assess.decision,
            label.rel, coalesce(label.beside AND (assess.rel IS NOT NULL OR assess.undecided), false))
    ON CONFLICT (pool, query, doc, annotator) DO UPDATE
       SET rel = CASE WHEN NOT assess.undecided THEN coalesce(excluded.rel, a.rel) END,
           undecided = excluded.undecided OR (excluded.rel IS NULL AND a.undecided),
           seconds = coalesce(excluded.seconds, a.seconds), decision = excluded.decision, changed = excluded.changed,
           note = CASE WHEN assess.note IS NULL THEN a.note ELSE excluded.note END,
           label = coalesce(excluded.label, a.label),
           label_seen = CASE WHEN excluded.undecided AND NOT a.undecided
                                  OR excluded.rel IS NOT NULL AND excluded.rel IS DISTINCT FROM a.rel
                             THEN excluded.label_seen OR a.label IS NOT NULL ELSE a.label_seen END
     WHERE a.submitted IS NULL;
    IF NOT FOUND THEN  -- another session submitted it after it was read
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'this judgment was submitted and can no longer be changed',
            HINT = 'Judgments are append-only. To correct one, judge into another edition.';
    END IF;
    RETURN stored.rel IS DISTINCT FROM coalesce(assess.rel, CASE WHEN NOT assess.undecided THEN stored.rel END)
        OR (assess.undecided AND NOT coalesce(stored.undecided, false))
        OR coalesce(stored.note, '') <> coalesce(assess.note, stored.note, '');
END
$$;
COMMENT ON FUNCTION assess(text, text, text, integer, text, boolean, double precision, text, boolean,
                            text) IS
    'Records an annotator''s decision on a document: a grade, NULL to skip it, or undecided, and a note; returns true '
    'if the sheet changed';
