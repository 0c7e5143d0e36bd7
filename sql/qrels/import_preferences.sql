-- import_preferences: add the rows of the temporary table incoming (stage_preferences) to the preferences of an
-- edition, which is created if it does not exist.
--
-- Rows that are already stored have no effect, so a file can be imported again. A different level for a document in the
-- same subgroup, stored or earlier in the file, raises IR302 with the line number. A group must be consistent: it
-- raises IR301 if a document has level 0 in one of its subgroups and a higher level in another, or is preferred to
-- itself through other documents. Groups may contradict each other. Unknown queries and documents: see
-- resolve_incoming.
-- Raises IR407 a sealed edition, IR405 no row to store.
CREATE OR REPLACE FUNCTION import_preferences(
    edition text, source text DEFAULT 'incoming', sha256 text DEFAULT NULL,
    unknown_documents text DEFAULT 'stub', unknown_queries text DEFAULT 'stub')
RETURNS TABLE (queries bigint, groups bigint, levels bigint, added bigint, unchanged bigint, duplicates bigint,
               new_documents bigint, skipped_documents bigint, new_queries bigint, skipped_queries bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    is_hidden boolean;
    bad record;
BEGIN
    UPDATE pg_temp.incoming i SET annotator = '' WHERE i.annotator IS NULL;
    SELECT i.line, i.rel_score INTO bad FROM pg_temp.incoming i
     WHERE i.rel_score IS NULL OR NOT (i.rel_score >= 0 AND i.rel_score < 'Infinity') ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: level %s is not a number of 0 or more', import_preferences.source, bad.line,
                             coalesce(bad.rel_score::text, 'NULL')),
            HINT = 'A document with a higher level is preferred; level 0 means not relevant.';
    END IF;
    SELECT i.line, n.name INTO bad FROM pg_temp.incoming i
     CROSS JOIN LATERAL (VALUES (i.annotator), (i.subgroup)) AS n (name)
     WHERE n.name <> '' AND NOT is_name(n.name) ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s cannot be the name of a judgment group', import_preferences.source, bad.line,
                             shown_name(bad.name)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line. Nothing was '
                   'stored.';
    END IF;
    SELECT c.*, i.query, i.docno INTO bad
      FROM settle_incoming('{query,annotator,subgroup,docno}', 'rel_score') c
      LEFT JOIN pg_temp.incoming i ON i.line = c.line;
    IF bad.line IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: query %s, document %s has level %s here and %s on line %s of the same subgroup',
                             import_preferences.source,
                             bad.line, bad.query, bad.docno, bad.value, bad.first_value, bad.first_line),
            HINT = 'Use another subgroup for another comparison, or another judgment group for another assessor.';
    END IF;
    duplicates := bad.duplicates;

    SELECT * INTO new_documents, skipped_documents, new_queries, skipped_queries
      FROM resolve_incoming(import_preferences.source, import_preferences.unknown_documents,
                            import_preferences.unknown_queries);
    SELECT count(DISTINCT i.query), count(DISTINCT (i.query, i.annotator)), count(*) INTO queries, groups, levels
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno;
    IF levels = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has no preference to store', import_preferences.source),
            HINT = 'The file is empty, or all its queries or documents are unknown and were skipped.';
    END IF;
    PERFORM check_name('edition', import_preferences.edition);
    INSERT INTO qrels_editions (edition) VALUES (import_preferences.edition) ON CONFLICT DO NOTHING;
    SELECT e.id, e.hidden INTO edition_id, is_hidden
      FROM qrels_editions e WHERE e.edition = import_preferences.edition COLLATE "C" FOR NO KEY UPDATE;
    INSERT INTO qrels_preferences (edition, query, annotator, subgroup, doc, rel, hidden)
    SELECT edition_id, q.id, i.annotator, i.subgroup, d.id, i.rel_score, is_hidden
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno
     ORDER BY i.line
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    unchanged := levels - added;
    SELECT i.line, i.query, i.docno, i.rel_score, p.rel INTO bad
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno
      JOIN qrels_preferences p ON (p.edition, p.query, p.annotator, p.subgroup, p.doc)
           = (edition_id, q.id, i.annotator, i.subgroup, d.id)
     WHERE p.rel <> i.rel_score ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: query %s, document %s has level %s here and is stored with %s',
                             import_preferences.source, bad.line,
                             bad.query, bad.docno, bad.rel_score, bad.rel),
            HINT = 'Stored preferences cannot be changed. Import into another --edition.';
    END IF;
    SELECT i.line, i.query, i.annotator, i.docno INTO bad
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN pg_temp.incoming_docs d ON d.docno = i.docno
      JOIN qrels_preferences p ON (p.edition, p.query, p.annotator, p.doc) = (edition_id, q.id, i.annotator, d.id)
     WHERE (p.rel = 0) <> (i.rel_score = 0) ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: query %s, group %s: document %s has level 0 in one subgroup and a higher one in '
                             'another',
                             import_preferences.source, bad.line, bad.query, bad.annotator, bad.docno),
            HINT = 'Level 0 means not relevant, which must be consistent within a group. Use another judgment group '
                   'for another assessor.';
    END IF;
    SELECT i.line, i.query, i.annotator, i.docno INTO bad
      FROM (SELECT DISTINCT q.id, q.query FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query
             WHERE EXISTS (SELECT FROM qrels_preferences p WHERE p.edition = edition_id AND p.query = q.id
                            GROUP BY p.annotator HAVING min(p.subgroup) <> max(p.subgroup))) q
     CROSS JOIN LATERAL preference_pairs(edition_id, q.id, 'prefs') p
      JOIN dblp d ON d.id = p.better
      JOIN pg_temp.incoming i ON i.query = q.query AND i.annotator = p.annotator COLLATE "C" AND i.docno = d.docno
     WHERE p.better = p.worse ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: query %s, group %s prefers document %s to itself through preferences in other '
                             'subgroups',
                             import_preferences.source, bad.line, bad.query, bad.annotator, bad.docno),
            HINT = 'The subgroups of a group must agree on one order. Use another judgment group for another assessor.';
    END IF;
    INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
    VALUES (edition_id, (SELECT x.hidden FROM qrels_editions x WHERE x.id = edition_id),
            import_preferences.source, import_preferences.sha256, levels, added);
    DROP TABLE pg_temp.incoming;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_preferences(text, text, text, text, text) IS
    'Adds the rows of the temporary table incoming to the preferences of an edition; rows that are already stored '
    'have no effect';
