-- compare_pair: record which of two documents an annotator prefers for their query. Returns true if it is stored.
--
--   choice     left, right, equal, neither (both are not relevant) or undecided (the annotator cannot decide)
--   seconds    time from showing the pair to the decision; at most 600 are stored
--   decision   an id chosen by the page. If a comparison is stored with this id, it was sent before, and the function
--              returns true without storing it again
--   of_query   the documents' query, if it is known, so that only this part of the sheet is read
--   answers    what a language model answered, if it compares
--
-- Returns false if this pair is not the next one (next_pair): another page of the annotator has decided it or undone a
-- comparison meanwhile. Nothing is stored then. Comparisons of one annotator are serialised.
-- Raises IR110 no such pool, IR202 a document is not on the sheet, the documents belong to different queries, or the
-- choice is unknown.
CREATE OR REPLACE FUNCTION compare_pair(pool text, annotator text, left_token text, right_token text, choice text,
                                        seconds double precision DEFAULT NULL, decision text DEFAULT NULL,
                                        of_query text DEFAULT NULL, answers jsonb DEFAULT NULL)
    RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(compare_pair.pool);
    pair record;
BEGIN
    IF coalesce(compare_pair.choice, '') NOT IN ('left', 'right', 'equal', 'neither', 'undecided') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a choice between two documents', compare_pair.choice),
            HINT = 'Choose left, right, equal, neither or undecided.';
    END IF;
    WITH document AS (
        SELECT s.* FROM (SELECT (SELECT q.id FROM st1_queries q WHERE q.query = compare_pair.of_query COLLATE "C") AS id
                        ) o
         CROSS JOIN LATERAL pool_share(compare_pair.pool, compare_pair.annotator, o.id) s
         WHERE s.token IN (compare_pair.left_token, compare_pair.right_token)
           AND (compare_pair.of_query IS NULL OR o.id IS NOT NULL))
    SELECT q.id AS query, q.query AS name, l.doc AS left_doc, r.doc AS right_doc INTO pair
      FROM document l
      JOIN document r ON r.query = l.query
      JOIN st1_queries q ON q.id = l.query
     WHERE l.token = compare_pair.left_token AND r.token = compare_pair.right_token AND l.doc <> r.doc;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L and %L are not two documents of a query on the sheet of %s', compare_pair.left_token,
                             compare_pair.right_token, compare_pair.annotator),
            HINT = 'stc.next_pair(pool, annotator) returns the next pair.';
    END IF;
    PERFORM pg_advisory_xact_lock(assessment_lock(compare_pair.pool, compare_pair.annotator, 'compare'));
    IF EXISTS (SELECT FROM qrels_comparisons c
                WHERE c.pool = pool_id AND c.query = pair.query AND c.annotator = compare_pair.annotator COLLATE "C"
                  AND c.decision = compare_pair.decision) THEN
        RETURN true;
    ELSIF NOT EXISTS (SELECT FROM pair_states(compare_pair.pool, compare_pair.annotator, pair.name) s
                       WHERE s.doc IN (pair.left_doc, pair.right_doc)
                         AND s.other IN (pair.left_doc, pair.right_doc)) THEN
        RETURN false;
    END IF;
    INSERT INTO qrels_comparisons
           (pool, query, annotator, number, left_doc, right_doc, choice, seconds, decision, decided, answers)
    SELECT pool_id, pair.query, compare_pair.annotator, coalesce(max(c.number), 0) + 1, pair.left_doc, pair.right_doc,
           compare_pair.choice, CASE WHEN compare_pair.seconds >= 0 THEN least(compare_pair.seconds, 600) END,
           compare_pair.decision, clock_timestamp(), compare_pair.answers
      FROM qrels_comparisons c
     WHERE c.pool = pool_id AND c.query = pair.query AND c.annotator = compare_pair.annotator COLLATE "C";
    RETURN true;
END
$$;
COMMENT ON FUNCTION compare_pair(text, text, text, text, text, double precision, text, text, jsonb) IS
    'Records which of two documents an annotator prefers, once; returns true if stored, false if another pair is next';
