-- undo_comparison: remove the last comparison of an annotator, of one query or of all. Returns the name of its query;
-- NULL if nothing was compared, or if the order was submitted.
--
-- The order is then what it was before this comparison, because pair_order inserts one document after the other.
--
-- decision: the id of the comparison to remove. NULL is returned, and nothing removed, if another one of its query is
-- the last. So a request that is repeated removes one comparison only.
-- Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION undo_comparison(pool text, annotator text, query text DEFAULT NULL,
                                           decision text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(undo_comparison.pool);
    last record;
BEGIN
    PERFORM pg_advisory_xact_lock(assessment_lock(undo_comparison.pool, undo_comparison.annotator, 'compare'));
    SELECT c.query, c.number, c.submitted, c.decision, q.query AS name INTO last
      FROM qrels_comparisons c JOIN st1_queries q ON q.id = c.query
     WHERE c.pool = pool_id AND c.annotator = undo_comparison.annotator COLLATE "C"
       AND (undo_comparison.query IS NULL OR q.query = undo_comparison.query COLLATE "C")
       AND (undo_comparison.decision IS NULL
            OR c.query IN (SELECT d.query FROM qrels_comparisons d
                            WHERE d.pool = pool_id AND d.annotator = undo_comparison.annotator COLLATE "C"
                              AND d.decision = undo_comparison.decision))
     ORDER BY c.decided DESC, c.number DESC LIMIT 1;
    IF last.query IS NULL OR last.submitted IS NOT NULL
        OR last.decision IS DISTINCT FROM coalesce(undo_comparison.decision, last.decision) THEN
        RETURN NULL;
    END IF;
    DELETE FROM qrels_comparisons c
     WHERE c.pool = pool_id AND c.query = last.query AND c.annotator = undo_comparison.annotator COLLATE "C"
       AND c.number = last.number AND c.submitted IS NULL;
    RETURN CASE WHEN FOUND THEN last.name END;
END
$$;
COMMENT ON FUNCTION undo_comparison(text, text, text, text) IS
    'Removes the last comparison of an annotator and returns its query; NULL if there is none that can be undone';
