-- hidden_elsewhere: ways in which judgments of a hidden edition are still visible to roles without access, one row
-- each.
--
--   kind edition   an open edition that judges the same pairs of query and document
--   kind query     a query whose source document, from which it was generated, is judged for it in the edition
--
-- pairs is the number of judgments concerned. Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION hidden_elsewhere(edition text) RETURNS TABLE (kind text, name text, pairs bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(hidden_elsewhere.edition);
BEGIN
    RETURN QUERY
    SELECT 'edition', e.edition, count(*)
      FROM qrels h
      JOIN qrels j ON j.query = h.query AND j.doc = h.doc
      JOIN qrels_editions e ON e.id = j.edition
     WHERE h.edition = edition_id AND NOT e.hidden AND e.id <> edition_id
     GROUP BY e.edition
     UNION ALL
    SELECT 'query', q.query, count(*)
      FROM qrels h JOIN st1_queries q ON q.id = h.query AND q.source = h.doc WHERE h.edition = edition_id
     GROUP BY q.query
     ORDER BY 1, 2;
END
$$;
COMMENT ON FUNCTION hidden_elsewhere(text) IS
    'Ways in which a hidden edition is still visible: open editions with the same pairs, and queries that name a '
    'judged source document';
