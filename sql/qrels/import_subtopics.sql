-- import_subtopics: add the rows of the temporary table incoming (stage_subtopics) to the subtopic judgments of an
-- edition, which is created if it does not exist.
--
-- Rows that are already stored have no effect, so a file can be imported again. A different grade for a document and
-- subtopic, stored or earlier in the file, raises IR302 with the line number. hidden: hide a new edition from
-- participants and readers until release_edition; ignored if it exists. Unknown queries and documents: see
-- resolve_incoming. path, sha256: of the file, for the ledger (qrels_files).
-- Raises IR301 an invalid name of a subtopic, IR407 a sealed edition, IR405 no row to store.
CREATE OR REPLACE FUNCTION import_subtopics(
    edition text, source text DEFAULT 'incoming', path text DEFAULT NULL, sha256 text DEFAULT NULL,
    unknown_documents text DEFAULT 'stub', unknown_queries text DEFAULT 'stub', hidden boolean DEFAULT false)
RETURNS TABLE (queries bigint, subtopics bigint, judgments bigint, added bigint, unchanged bigint, duplicates bigint,
               new_documents bigint, skipped_documents bigint, new_queries bigint, skipped_queries bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    is_hidden boolean;
    bad record;
BEGIN
    PERFORM check_name('edition', import_subtopics.edition);
    SELECT i.line, i.subtopic INTO bad FROM pg_temp.incoming i WHERE NOT is_name(i.subtopic) ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s cannot be the name of a subtopic', import_subtopics.source, bad.line,
                             shown_name(bad.subtopic)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line. Nothing was '
                   'stored.';
    END IF;
    SELECT c.*, i.query, i.subtopic, i.docno INTO bad
      FROM settle_incoming('{query,subtopic,docno}', 'rel') c LEFT JOIN pg_temp.incoming i ON i.line = c.line;
    IF bad.line IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: query %s, subtopic %s, document %s has grade %s here and %s on line %s',
                             import_subtopics.source, bad.line, bad.query, bad.subtopic, bad.docno, bad.value,
                             bad.first_value, bad.first_line),
            HINT = 'Keep one of the lines. Nothing was stored.';
    END IF;
    duplicates := bad.duplicates;

    SELECT * INTO new_documents, skipped_documents, new_queries, skipped_queries
      FROM resolve_incoming(import_subtopics.source, import_subtopics.unknown_documents,
                            import_subtopics.unknown_queries);
    SELECT count(DISTINCT i.query), count(DISTINCT (i.query, i.subtopic)), count(*) INTO queries, subtopics, judgments
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has no judgment to store', import_subtopics.source),
            HINT = 'The file is empty, or all its queries or documents are unknown and were skipped.';
    END IF;
    INSERT INTO qrels_editions (edition, hidden)
        VALUES (import_subtopics.edition, import_subtopics.hidden) ON CONFLICT DO NOTHING;
    SELECT e.id, e.hidden INTO edition_id, is_hidden
      FROM qrels_editions e WHERE e.edition = import_subtopics.edition COLLATE "C" FOR NO KEY UPDATE;
    INSERT INTO qrels_subtopics (edition, query, subtopic, doc, rel, hidden)
    SELECT edition_id, q.id, i.subtopic, d.id, i.rel, is_hidden
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno
     ORDER BY i.line
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    unchanged := judgments - added;
    SELECT i.line, i.query, i.subtopic, i.docno, i.rel, t.rel AS stored INTO bad
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno
      JOIN qrels_subtopics t ON (t.edition, t.query, t.subtopic, t.doc) = (edition_id, q.id, i.subtopic, d.id)
     WHERE t.rel <> i.rel ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: query %s, subtopic %s, document %s has grade %s here and is stored with %s',
                             import_subtopics.source, bad.line, bad.query, bad.subtopic, bad.docno, bad.rel,
                             bad.stored),
            HINT = 'Stored judgments cannot be changed. Import into another --edition.';
    END IF;
    INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
    VALUES (edition_id, (SELECT x.hidden FROM qrels_editions x WHERE x.id = edition_id),
            coalesce(import_subtopics.path, import_subtopics.source), import_subtopics.sha256,
            judgments, added);
    DROP TABLE pg_temp.incoming;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_subtopics(text, text, text, text, text, text, boolean) IS
    'Adds the rows of the temporary table incoming to the subtopic judgments of an edition; rows that are already '
    'stored have no effect';
