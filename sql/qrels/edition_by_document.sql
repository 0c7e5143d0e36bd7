-- edition_by_document: create an edition that judges documents from one that judges passages. A document has the
-- highest grade of its passages, of all that count in the source (view qrels), and the origin of this judgment.
--
--   SELECT * FROM stc.edition_by_document('documents', 'passages', '#');
--
-- delimiter: see passage_documents. A judgment of a whole document counts as one of a passage (whole: how many). Grades
-- by subtopic are combined alike. Split, year, scale, hidden and simulated are those of the source; strata are not
-- taken, because a document is no random sample of its passages. The ledger records the source as edition:NAME.
-- Raises IR102 no such edition, IR202 the new edition exists, an invalid name or delimiter.
CREATE OR REPLACE FUNCTION edition_by_document(
    edition text, passages text, delimiter text DEFAULT '#',
    OUT queries bigint, OUT judgments bigint, OUT subtopic_judgments bigint, OUT whole bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := edition_key(edition_by_document.passages);
    docs CONSTANT bigint[] := ARRAY(SELECT j.doc FROM qrels j WHERE j.edition = source_id
                                    UNION SELECT t.doc FROM qrels_subtopics t WHERE t.edition = source_id);
    parents CONSTANT bigint[] := passage_documents(docs, edition_by_document.delimiter);
    target_id integer;
BEGIN
    IF EXISTS (SELECT FROM qrels_editions e WHERE e.edition = edition_by_document.edition COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %L already exists', edition_by_document.edition),
            HINT = 'Choose another name, or remove an edition with ''stc drop edition''.';
    END IF;
    PERFORM check_name('edition', edition_by_document.edition);
    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT edition_by_document.edition, format('%s; documents of passages', e.edition), e.split, e.year, e.scale,
           e.hidden, e.simulated
      FROM qrels_editions e WHERE e.id = source_id
    RETURNING id INTO target_id;
    WITH stored AS (
        INSERT INTO qrels_judgments (edition, query, doc, rel, origin, note, hidden)
        SELECT target_id, b.query, b.parent, b.rel, b.origin, b.note, e.hidden
          FROM (SELECT j.query, p.parent, max(j.rel) AS rel,
                       (array_agg(j.origin ORDER BY j.rel DESC, origin_precedence(j.origin)))[1] AS origin,
                       CASE WHEN count(*) > 1 THEN counted(count(*), 'passage') END AS note
                  FROM qrels j JOIN unnest(docs, parents) p (doc, parent) ON p.doc = j.doc
                 WHERE j.edition = source_id GROUP BY j.query, p.parent) b
         CROSS JOIN qrels_editions e WHERE e.id = target_id
         ORDER BY b.query, b.parent
        RETURNING query, doc),
    aspects AS (
        INSERT INTO qrels_subtopics (edition, query, subtopic, doc, rel, hidden)
        SELECT target_id, t.query, t.subtopic, p.parent, max(t.rel), bool_or(e.hidden)
          FROM qrels_subtopics t JOIN unnest(docs, parents) p (doc, parent) ON p.doc = t.doc
         CROSS JOIN qrels_editions e
         WHERE t.edition = source_id AND e.id = target_id GROUP BY t.query, t.subtopic, p.parent
        RETURNING query)
    SELECT (SELECT count(*) FROM (SELECT s.query FROM stored s UNION SELECT a.query FROM aspects a) u),
           (SELECT count(*) FROM stored), (SELECT count(*) FROM aspects),
           (SELECT count(*) FROM qrels j JOIN unnest(docs, parents) p (doc, parent)
                              ON p.doc = j.doc AND p.parent = j.doc WHERE j.edition = source_id)
      INTO queries, judgments, subtopic_judgments, whole;
    INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
    SELECT target_id, e.hidden, 'edition:' || edition_by_document.passages,
           edition_fingerprint(edition_by_document.passages),
           (SELECT count(*) FROM qrels j WHERE j.edition = source_id), edition_by_document.judgments
      FROM qrels_editions e WHERE e.id = target_id;
END
$$;
COMMENT ON FUNCTION edition_by_document(text, text, text) IS
'Create an edition that judges documents from one that judges passages, each with the highest grade';
