-- sheet_counts: numbers of an annotator's sheet: documents, judged, skipped, undecided, and decisions whose time was
-- measured, with the mean of their seconds (NULL without such decisions).
--
-- query_set: count only queries of this set. documents: their number, if the caller knows it; else they are counted.
-- Raises IR103 the set names no query, IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION sheet_counts(pool text, annotator text, query_set text DEFAULT 'all',
                                        documents bigint DEFAULT NULL)
RETURNS TABLE (all_documents bigint, judged bigint, skipped bigint, undecided bigint, timed bigint,
               seconds double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    chosen integer[] := CASE WHEN sheet_counts.query_set <> 'all' THEN query_set_ids(sheet_counts.query_set) END;
BEGIN
    RETURN QUERY
    SELECT coalesce(sheet_counts.documents,
                    (SELECT count(*) FROM share_documents(sheet_counts.pool, sheet_counts.annotator) m
                      WHERE chosen IS NULL OR m.query = ANY (chosen))),
           count(a.rel), count(*) FILTER (WHERE a.rel IS NULL AND NOT a.undecided),
           count(*) FILTER (WHERE a.undecided), count(a.seconds), avg(a.seconds)
      FROM qrels_assessments a
     WHERE a.pool = pool_key(sheet_counts.pool) AND a.annotator = sheet_counts.annotator COLLATE "C" AND NOT a.final
       AND (chosen IS NULL OR a.query = ANY (chosen));
END
$$;
COMMENT ON FUNCTION sheet_counts(text, text, text, bigint) IS
    'Numbers of an annotator''s sheet: documents, judged, skipped, undecided, timed decisions and their mean seconds; '
    'NULL if none was timed';
