-- assess: one decision of an annotator, on the sheet at once: a grade, or NULL to skip. The note stays where note is
-- NULL, and is taken away by an empty one. Returns whether the sheet says otherwise than before.
--
-- A grade can be changed until it is submitted (submit_pool), a skip does not take a grade back. token: of pool_share.
-- Raises IR110 no such pool, IR202 not on the annotator's sheet, a grade outside the scale, or a submitted one that
-- would be changed.
CREATE OR REPLACE FUNCTION assess(pool text, annotator text, token text, rel integer, note text DEFAULT NULL)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(assess.pool);
    grades jsonb := (SELECT p.params -> 'grades' FROM qrels_pools p WHERE p.id = pool_id FOR SHARE);
    document record;
    stored record;
BEGIN
    SELECT s.query, s.doc INTO document FROM pool_share(assess.pool, assess.annotator) s WHERE s.token = assess.token;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not on the sheet of %s', assess.token, assess.annotator),
            HINT = 'stc.pool_sheet(pool, annotator) is the sheet.';
    ELSIF assess.rel IS NOT NULL AND NOT grades ? assess.rel::text THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is no grade of the pool %L', assess.rel, assess.pool),
            HINT = format('Its grades are %s.',
                          (SELECT string_agg(g, ', ' ORDER BY g) FROM jsonb_object_keys(grades) g));
    END IF;
    SELECT a.rel, a.note, a.submitted INTO stored FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc
       AND a.annotator = assess.annotator COLLATE "C"
       FOR UPDATE;
    IF stored.submitted IS NOT NULL
       AND (coalesce(assess.rel, stored.rel) <> stored.rel
            OR coalesce(assess.note, stored.note, '') IS DISTINCT FROM coalesce(stored.note, '')) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'this judgment was submitted and can no longer be changed',
            HINT = 'Judgments are append-only; another edition can say otherwise.';
    ELSIF stored.submitted IS NOT NULL THEN
        RETURN false;
    END IF;
    INSERT INTO qrels_assessments AS a (pool, query, doc, annotator, rel, note, changed)
    VALUES (pool_id, document.query, document.doc, assess.annotator, assess.rel, nullif(assess.note, ''),
            clock_timestamp())
    ON CONFLICT (pool, query, doc, annotator) DO UPDATE
       SET rel = coalesce(excluded.rel, a.rel), changed = excluded.changed,
           note = CASE WHEN assess.note IS NULL THEN a.note ELSE excluded.note END
     WHERE a.submitted IS NULL;
    IF NOT FOUND THEN  -- submitted by another session since it was looked at
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'this judgment was submitted and can no longer be changed',
            HINT = 'Judgments are append-only; another edition can say otherwise.';
    END IF;
    RETURN stored.rel IS DISTINCT FROM coalesce(assess.rel, stored.rel)
        OR coalesce(stored.note, '') <> coalesce(assess.note, stored.note, '');
END
$$;
COMMENT ON FUNCTION assess(text, text, text, integer, text) IS
'One decision of an annotator: a grade, or NULL to skip, and a note';
