-- assess_seen: record a decision as assess does, unless the sheet changed since the annotator saw it. Returns true if
-- stored.
--
-- seen is pool_sheet.changed of the document when it was shown, NULL if there was no decision. Returns false if another
-- decision was stored meanwhile, from another page or terminal of the annotator; that decision is kept. Decisions on
-- one document by this function are serialised.
--
-- decision: an id chosen by the page. If the stored decision has this id, it was sent before, and the function returns
-- true without storing it again. A page can thus repeat decisions whose confirmation was lost.
-- labels: as in assess. Raises the errors of assess.
CREATE OR REPLACE FUNCTION assess_seen(pool text, annotator text, token text, rel integer, note text, seen timestamptz,
                                       undecided boolean DEFAULT false, seconds double precision DEFAULT NULL,
                                       decision text DEFAULT NULL, labels boolean DEFAULT false)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stored record;
BEGIN
    -- A separate key, because a terminal holds the document's key while showing it.
    PERFORM pg_advisory_xact_lock(assessment_lock(assess_seen.pool, assess_seen.annotator,
                                                  concat('decide ', assess_seen.token)));
    SELECT a.changed, a.decision INTO stored
      FROM pool_share(assess_seen.pool, assess_seen.annotator) s
      JOIN qrels_assessments a
        ON a.pool = pool_key(assess_seen.pool) AND a.query = s.query AND a.doc = s.doc
            AND a.annotator = assess_seen.annotator COLLATE "C"
     WHERE s.token = assess_seen.token;
    IF stored.decision = assess_seen.decision THEN
        RETURN true;
    ELSIF stored.changed IS DISTINCT FROM assess_seen.seen THEN
        RETURN false;
    END IF;
    PERFORM assess(assess_seen.pool, assess_seen.annotator, assess_seen.token, assess_seen.rel, assess_seen.note,
                   assess_seen.undecided, assess_seen.seconds, assess_seen.decision, assess_seen.labels);
    RETURN true;
END
$$;
COMMENT ON FUNCTION assess_seen(text, text, text, integer, text, timestamptz, boolean, double precision, text,
                                 boolean) IS
    'Records an annotator''s decision once, unless the sheet changed since it was seen; returns true if stored';
