-- pair_progress: progress of comparisons in a pool, one row per annotator with a comparison and query of the sheet.
--
--   documents, placed, aside
--                number of documents on the sheet; with a place in the order; set aside because the annotator could not
--                decide
--   compared     number of comparisons
--   remaining    largest number of comparisons that can still be needed; 0 if the order is complete
--   median_seconds
--                time of a comparison; NULL if none was measured
--   submitted    the order is stored as preferences of an edition
--
-- for_annotator: this annotator alone, also without a comparison; NULL means all. query_set: only queries of this set
-- (query_set).
-- Raises IR103 the set names no query, IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION pair_progress(pool text, for_annotator text DEFAULT NULL, query_set text DEFAULT 'all')
RETURNS TABLE (annotator text, query text, query_text text, documents integer, placed integer, aside integer,
               compared bigint, remaining bigint, median_seconds double precision, submitted boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pair_progress.pool);
    people text[] := CASE WHEN pair_progress.for_annotator IS NOT NULL THEN ARRAY[pair_progress.for_annotator]
                          ELSE ARRAY(SELECT DISTINCT c.annotator FROM qrels_comparisons c WHERE c.pool = pool_id) END;
BEGIN
    RETURN QUERY
    SELECT p.name, q.query, q.text, s.documents, cardinality(s.placed), cardinality(s.aside), s.compared, s.remaining,
           (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY c.seconds) FROM qrels_comparisons c
             WHERE c.pool = pool_id AND c.query = s.query AND c.annotator = p.name COLLATE "C"), s.submitted
      FROM unnest(people) AS p (name)
     CROSS JOIN LATERAL pair_states(pair_progress.pool, p.name, query_set => pair_progress.query_set) s
      JOIN st1_queries q ON q.id = s.query
     ORDER BY p.name COLLATE "C", s.number;
END
$$;
COMMENT ON FUNCTION pair_progress(text, text, text) IS
    'Progress of comparisons in a pool, per annotator and query: documents placed, comparisons made and left at most, '
    'and seconds; NULL if there are none';
