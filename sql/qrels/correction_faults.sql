-- correction_faults: errors in corrections of an edition, one row per error, by line. corrections is an array of {line,
-- query, doc, rel, why}.
--
-- A correction is wrong if its query or document is unknown, if it repeats an earlier line, gives no reason, or gives
-- the grade that counts already. The edition must judge the document for the query, unless unjudged is true.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION correction_faults(edition text, corrections jsonb, unjudged boolean DEFAULT false)
RETURNS TABLE (line integer, fault text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(correction_faults.edition);
BEGIN
    RETURN QUERY
    SELECT f.line, f.fault
      FROM (SELECT c.line, CASE
                   WHEN q.id IS NULL THEN concat(format('there is no query %L', c.query), '; did you mean '
                       || quote_literal(nearest_name(c.query, ARRAY(SELECT k.query FROM st1_queries k))) || '?')
                   WHEN d.id IS NULL THEN format('there is no document %L', c.doc)
                   WHEN c.line > c.first_line THEN format('query %s, document %s is already on line %s', c.query, c.doc,
                                                          c.first_line)
                   WHEN coalesce(trim(c.why), '') = '' THEN format('query %s, document %s: the reason is missing',
                                                                   c.query, c.doc)
                   WHEN c.rel = j.rel THEN format('query %s, document %s has the grade %s already', c.query, c.doc,
                                                  c.rel)
                   WHEN j.rel IS NULL AND NOT coalesce(correction_faults.unjudged, false)
                       THEN format('query %s, document %s is not judged in edition %L', c.query, c.doc,
                                   correction_faults.edition)
                   END AS fault
              FROM (SELECT i.*, min(i.line) OVER (PARTITION BY i.query, i.doc) AS first_line
                      FROM jsonb_to_recordset(correction_faults.corrections) AS i (line integer, query text, doc text,
                                                                                   rel smallint, why text)) c
              LEFT JOIN st1_queries q ON q.query = c.query COLLATE "C"
              LEFT JOIN dblp d ON d.docno = c.doc COLLATE "C"
              LEFT JOIN qrels j ON j.edition = edition_id AND j.query = q.id AND j.doc = d.id) f
     WHERE f.fault IS NOT NULL ORDER BY f.line;
END
$$;
COMMENT ON FUNCTION correction_faults(text, jsonb, boolean) IS 'Errors in corrections of an edition, by line';
