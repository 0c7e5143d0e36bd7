-- edition_subtopics: subtopic judgments of an edition, ordered by query, subtopic (numbers as numbers) and docno.
--
-- query_set: only the queries of this set (query_set). Raises IR102 no such edition, IR103 no such query or set.
CREATE OR REPLACE FUNCTION edition_subtopics(edition text, query_set text DEFAULT 'all')
RETURNS TABLE (query text, subtopic text, docno text, rel smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(edition_subtopics.edition);
    query_ids CONSTANT integer[] := CASE WHEN edition_subtopics.query_set <> 'all'
                                         THEN query_set_ids(edition_subtopics.query_set) END;
BEGIN
    RETURN QUERY
    SELECT q.query, t.subtopic, d.docno, t.rel
      FROM qrels_subtopics t JOIN st1_queries q ON q.id = t.query JOIN dblp d ON d.id = t.doc
     WHERE t.edition = edition_id AND (query_ids IS NULL OR t.query = ANY (query_ids))
     ORDER BY q.query COLLATE "C", CASE WHEN t.subtopic ~ '^\d{1,9}$' THEN t.subtopic::integer END, t.subtopic,
              d.docno COLLATE "C";
END
$$;
COMMENT ON FUNCTION edition_subtopics(text, text) IS
    'Subtopic judgments of an edition, ordered by query, subtopic and docno';
