-- sheet_faults: errors in the lines of a completed sheet, one row per error, by line. lines is an array of {line,
-- token, rel, note}; rel is NULL if nothing was judged.
--
-- A line is wrong if its token is not on the annotator's sheet or repeats an earlier line. It is also wrong if its
-- grade is not in the scale, or if it would change a submitted judgment.
-- Raises IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION sheet_faults(pool text, annotator text, lines jsonb) RETURNS TABLE (line integer, fault text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(sheet_faults.pool);
    grades jsonb := (SELECT p.params -> 'grades' FROM qrels_pools p WHERE p.id = pool_id);
    scale text := (SELECT string_agg(g, ', ' ORDER BY g) FROM jsonb_object_keys(grades) g);
BEGIN
    RETURN QUERY
    SELECT f.line, f.fault
      FROM (SELECT l.line, CASE
                   WHEN s.token IS NULL THEN format('%L is not a document on the sheet of %s', l.token,
                                                    sheet_faults.annotator)
                   WHEN l.line > l.first_line THEN format('document %L is already on line %s', l.token, l.first_line)
                   WHEN l.rel IS NOT NULL AND NOT grades ? l.rel::text
                       THEN format('%s is not a grade of the pool (%s)', l.rel, scale)
                   WHEN a.submitted IS NOT NULL AND (coalesce(l.rel, a.rel) <> a.rel
                        OR coalesce(nullif(l.note, ''), a.note) IS DISTINCT FROM a.note)
                        THEN format('the judgment of document %L was submitted as %s and can no longer be changed',
                                    l.token, a.rel)
                   END AS fault
              FROM (SELECT i.*, min(i.line) OVER (PARTITION BY i.token) AS first_line
                      FROM jsonb_to_recordset(sheet_faults.lines) AS i (line integer, token text, rel integer,
                                                                        note text)) l
              LEFT JOIN pool_share(sheet_faults.pool, sheet_faults.annotator) s ON s.token = l.token
              LEFT JOIN qrels_assessments a
                ON a.pool = pool_id AND a.query = s.query AND a.doc = s.doc
                    AND a.annotator = sheet_faults.annotator COLLATE "C") f
     WHERE f.fault IS NOT NULL ORDER BY f.line;
END
$$;
COMMENT ON FUNCTION sheet_faults(text, text, jsonb) IS 'Errors in the lines of a completed sheet, by line';
