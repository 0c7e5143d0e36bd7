-- assess_seen: record a decision as assess does, unless the sheet changed since the annotator saw it. Returns true if
-- stored.
--
-- seen is pool_sheet.changed of the document when it was shown, NULL if there was no decision. Returns false if another
-- decision was stored meanwhile, from another page or terminal of the annotator; that decision is kept. Decisions on
-- one document by this function are serialised.
-- Raises the errors of assess.
CREATE OR REPLACE FUNCTION assess_seen(pool text, annotator text, token text, rel integer, note text, seen timestamptz)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stored timestamptz;
BEGIN
    -- A separate key, because a terminal holds the document's key while showing it.
    PERFORM pg_advisory_xact_lock(assessment_lock(assess_seen.pool, assess_seen.annotator,
                                                  concat('decide ', assess_seen.token)));
    SELECT a.changed INTO stored
      FROM pool_share(assess_seen.pool, assess_seen.annotator) s
      JOIN qrels_assessments a
        ON a.pool = pool_key(assess_seen.pool) AND a.query = s.query AND a.doc = s.doc
            AND a.annotator = assess_seen.annotator COLLATE "C"
     WHERE s.token = assess_seen.token;
    IF stored IS DISTINCT FROM assess_seen.seen THEN
        RETURN false;
    END IF;
    PERFORM assess(assess_seen.pool, assess_seen.annotator, assess_seen.token, assess_seen.rel, assess_seen.note);
    RETURN true;
END
$$;
COMMENT ON FUNCTION assess_seen(text, text, text, integer, text, timestamptz) IS
    'Records an annotator''s decision unless the sheet changed since it was seen; returns true if stored';
