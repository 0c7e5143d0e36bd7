-- review_document: mark a judged document of a pool as open, in-review or settled. No grade changes. Returns true if
-- the mark is stored, false if the document has it already and note is NULL.
--
-- All marks are kept (pool_reviews); the last one counts. Without a mark, a document is open, or settled if it has a
-- final grade (adjudicate).
-- Raises IR110 no such pool, IR202 no name, another state, or a document that nobody has judged.
CREATE OR REPLACE FUNCTION review_document(pool text, query text, docno text, state text, reviewer text,
                                           note text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(review_document.pool);
    document record;
BEGIN
    IF coalesce(btrim(review_document.reviewer), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the reviewer is empty',
            HINT = 'Give a name: it is stored with the status.';
    END IF;
    PERFORM check_name('reviewer', review_document.reviewer);
    IF coalesce(review_document.state NOT IN ('open', 'in-review', 'settled'), true) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a review status', review_document.state),
            HINT = 'Use open, in-review or settled.';
    END IF;
    PERFORM FROM qrels_pools p WHERE p.id = pool_id FOR NO KEY UPDATE;
    SELECT a.query, a.doc INTO document
      FROM qrels_assessments a
      JOIN st1_queries q ON q.id = a.query
      JOIN dblp d ON d.id = a.doc
     WHERE a.pool = pool_id AND q.query = review_document.query COLLATE "C"
       AND d.docno = review_document.docno COLLATE "C"
       AND a.rel IS NOT NULL LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('document %s of query %s has no grade in pool %L', review_document.docno,
                             review_document.query, review_document.pool),
            HINT = 'stc.pool_decisions(pool) lists the decisions.';
    END IF;
    IF review_document.note IS NULL AND review_document.state = (
            SELECT r.state FROM qrels_reviews r
             WHERE r.pool = pool_id AND r.query = document.query AND r.doc = document.doc
             ORDER BY r.id DESC LIMIT 1) THEN
        RETURN false;
    END IF;
    INSERT INTO qrels_reviews (pool, query, doc, state, reviewer, note)
    VALUES (pool_id, document.query, document.doc, review_document.state, review_document.reviewer,
            nullif(review_document.note, ''));
    RETURN true;
END
$$;
COMMENT ON FUNCTION review_document(text, text, text, text, text, text) IS
    'Marks a judged document of a pool as open, in review or settled, without changing a grade; returns true if stored';
