-- subtopic_judgments: subtopic judgments of a query; all values are keys.
--
-- day: only of documents in the snapshot of this date (in_snapshot, snapshot_at); NULL for all documents.
CREATE OR REPLACE FUNCTION subtopic_judgments(edition integer, query integer, day date DEFAULT NULL)
RETURNS TABLE (subtopic text, doc bigint, rel smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF subtopic_judgments.day IS NULL THEN
        RETURN QUERY
        SELECT t.subtopic::text, t.doc, t.rel FROM qrels_subtopics t
         WHERE t.edition = subtopic_judgments.edition AND t.query = subtopic_judgments.query;
    ELSE
        RETURN QUERY
        SELECT t.subtopic::text, t.doc, t.rel
          FROM qrels_subtopics t
          JOIN dblp_facts f ON f.id = t.doc
           AND in_snapshot(f.first_date, f.last_date, f.absent, subtopic_judgments.day)
         WHERE t.edition = subtopic_judgments.edition AND t.query = subtopic_judgments.query;
    END IF;
END
$$;
COMMENT ON FUNCTION subtopic_judgments(integer, integer, date) IS
    'Subtopic judgments of a query, of all documents or of those in a snapshot';
