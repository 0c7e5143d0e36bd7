-- assess_seen: record a decision as assess does, unless the sheet changed since the annotator saw it. Returns true if
-- stored.
--
-- seen is pool_sheet.changed of the document when it was shown, NULL if there was no decision. Returns false if another
-- decision was stored meanwhile, from another page or terminal of the annotator; that decision is kept. Decisions on
-- one document by this function are serialised.
--
-- decision: an id chosen by the page. If the stored decision has this id, it was sent before, and the function returns
-- true without storing it again. A page can thus repeat decisions whose confirmation was lost. The state before the
-- decision is kept with the id, for undo_decision. Returns NULL, and stores nothing, if the decision was undone.
-- invited: true for an invited assessor, without a login.
-- labels, of_query: as in assess.
-- Raises the errors of assess, and IR202 if the id is of a decision on another document.
CREATE OR REPLACE FUNCTION assess_seen(pool text, annotator text, token text, rel integer, note text, seen timestamptz,
                                       undecided boolean DEFAULT false, seconds double precision DEFAULT NULL,
                                       decision text DEFAULT NULL, labels boolean DEFAULT false,
                                       invited boolean DEFAULT false, of_query text DEFAULT NULL)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(assess_seen.pool);
    document record;
    stored record;
    earlier record;
BEGIN
    -- A separate key, because a terminal holds the document's key while showing it.
    PERFORM pg_advisory_xact_lock(assessment_lock(assess_seen.pool, assess_seen.annotator,
                                                  concat('decide ', assess_seen.token)));
    SELECT s.query, s.doc INTO document
      FROM sheet_document(assess_seen.pool, assess_seen.annotator, assess_seen.token, assess_seen.of_query) s;
    SELECT a.rel, a.note, a.undecided, a.changed, a.decision INTO stored
      FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
       AND a.annotator = assess_seen.annotator COLLATE "C";
    SELECT d.query, d.doc, d.undone INTO earlier FROM qrels_decisions d
     WHERE d.pool = pool_id AND d.annotator = assess_seen.annotator COLLATE "C"
       AND d.decision = assess_seen.decision COLLATE "C";
    IF (earlier.query, earlier.doc) <> (document.query, document.doc) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the decision %s is about another document', assess_seen.decision),
            HINT = 'Choose a new id for each decision.';
    ELSIF earlier.undone IS NOT NULL THEN
        RETURN NULL;
    ELSIF stored.decision = assess_seen.decision THEN
        RETURN true;
    ELSIF stored.changed IS DISTINCT FROM assess_seen.seen OR earlier.query IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM assess(assess_seen.pool, assess_seen.annotator, assess_seen.token, assess_seen.rel, assess_seen.note,
                   assess_seen.undecided, assess_seen.seconds, assess_seen.decision, assess_seen.labels,
                   assess_seen.of_query);
    INSERT INTO qrels_decisions (pool, query, doc, annotator, decision, role, invited, decided, rel, note, undecided,
                                 changed)
    SELECT a.pool, a.query, a.doc, a.annotator, a.decision, current_user, assess_seen.invited, a.changed, stored.rel,
           stored.note, coalesce(stored.undecided, false), stored.changed
      FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
       AND a.annotator = assess_seen.annotator COLLATE "C"
       AND a.decision = assess_seen.decision AND a.changed IS DISTINCT FROM stored.changed;
    RETURN true;
END
$$;
COMMENT ON FUNCTION assess_seen(text, text, text, integer, text, timestamptz, boolean, double precision, text,
                                 boolean, boolean, text) IS
    'Records an annotator''s decision once, unless the sheet changed since it was seen; returns true if stored';
