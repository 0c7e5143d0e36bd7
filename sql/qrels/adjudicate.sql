-- adjudicate: set the final grade of a document to which annotators of a pool gave different grades. It is stored on
-- the pool under the adjudicator's name, and the grades of the annotators stay.
--
-- A second call changes the final grade; several adjudicators replace each other's grades. Final grades do not count in
-- pool_agreement and pool_alpha. With submit_pool they become final judgments of the adjudicator,
-- which take precedence over those of all annotators.
-- Raises IR110 no such pool, IR202 no name, a grade outside the scale, a document without different grades, a
-- name that judged the document as an annotator, or a final grade that was submitted.
CREATE OR REPLACE FUNCTION adjudicate(pool text, adjudicator text, query text, docno text, rel integer,
                                      note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(adjudicate.pool);
    grades jsonb := (SELECT p.params -> 'grades' FROM qrels_pools p WHERE p.id = pool_id FOR NO KEY UPDATE);
    document record;
BEGIN
    IF coalesce(btrim(adjudicate.adjudicator), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the adjudicator is empty',
            HINT = 'Give a name: final grades are stored with it.';
    END IF;
    PERFORM check_name('annotator', adjudicate.adjudicator);
    IF adjudicate.rel IS NULL OR NOT grades ? adjudicate.rel::text THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not a grade of pool %L', coalesce(adjudicate.rel::text, 'NULL'), adjudicate.pool),
            HINT = format('Its grades are %s.',
                          (SELECT string_agg(g, ', ' ORDER BY g) FROM jsonb_object_keys(grades) g));
    END IF;
    SELECT a.query, a.doc, bool_or(NOT a.final AND a.annotator = adjudicate.adjudicator COLLATE "C") AS judged,
           bool_or(a.final AND a.submitted IS NOT NULL) AS submitted
      INTO document
      FROM qrels_assessments a
      JOIN st1_queries q ON q.id = a.query
      JOIN dblp d ON d.id = a.doc
     WHERE a.pool = pool_id AND q.query = adjudicate.query COLLATE "C" AND d.docno = adjudicate.docno COLLATE "C"
     GROUP BY a.query, a.doc
    HAVING count(DISTINCT a.rel) FILTER (WHERE NOT a.final) > 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('document %s of query %s has no different grades', adjudicate.docno, adjudicate.query),
            HINT = 'pool_disagreements(pool) lists the documents with different grades.';
    ELSIF document.judged THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L judged this document as an annotator', adjudicate.adjudicator),
            HINT = 'Store the final grade under another name, such as adjudicator.';
    ELSIF document.submitted THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = 'this final grade was submitted and can no longer be changed',
            HINT = 'Correct the judgment in a new version of the edition with ''stc publish correct EDITION''.';
    END IF;
    DELETE FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.query = document.query AND a.doc = document.doc AND a.final
       AND a.annotator <> adjudicate.adjudicator COLLATE "C";
    INSERT INTO qrels_assessments (pool, query, doc, annotator, rel, note, changed, final)
    VALUES (pool_id, document.query, document.doc, adjudicate.adjudicator, adjudicate.rel, nullif(adjudicate.note, ''),
            clock_timestamp(), true)
    ON CONFLICT (pool, query, doc, annotator) DO UPDATE
       SET rel = excluded.rel, note = excluded.note, changed = excluded.changed;
END
$$;
COMMENT ON FUNCTION adjudicate(text, text, text, text, integer, text) IS
    'Sets the final grade of a document to which annotators of a pool gave different grades';
