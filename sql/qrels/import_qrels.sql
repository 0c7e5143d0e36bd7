-- import_qrels: append the rows of the temporary table incoming (stage_incoming) to an edition, which is created if it
-- does not exist.
--
-- Judgments are append-only. A row that is already stored has no effect and counts as unchanged, so a file can be
-- imported again. A different grade by the same annotator for the same document, stored or earlier in the file, raises
-- IR302 with the line number. on_duplicate first keeps the first one of the file, but never overrides a stored one.
--
--   origin, annotator   for all rows; NULL uses the values of each row, or human and ''
--   unknown_documents, unknown_queries
--                       see resolve_incoming
--   scale               mapping {theirs: ours} applied to the grades, or NULL. All imports into an edition must use the
--                       same mapping (IR202)
--   path, sha256        of the file, for the ledger (qrels_files)
--   hidden              hide a new edition from participants and readers until release_edition; ignored if it exists
--   gone                number of judgments in the previous version of this path that this version lacks
--   earlier             SHA-256 of that previous version
--
-- If incoming has the column stratum (stage_strata), its documents are stored in qrels_strata. A row with a negative
-- grade is then a document that was not drawn, and no judgment.
--
-- A sealed edition accepts no new judgments (IR407). Imports into one edition wait for each other.
--
-- Rows are stored in the order of query and document, so that they go to one place of the unique index. Those of one
-- document keep the order of their lines: of several judgments with the same origin, the earliest counts.
--
-- Judgments are looked up one by one by the unique key (LATERAL … LIMIT 1): statistics do not include the rows just
-- stored, and a join planned from them takes time quadratic in the size of the file.
CREATE OR REPLACE FUNCTION import_qrels(
    edition text, source text DEFAULT 'incoming', origin text DEFAULT NULL, annotator text DEFAULT NULL,
    on_duplicate text DEFAULT 'error', unknown_documents text DEFAULT 'stub', unknown_queries text DEFAULT 'stub',
    scale jsonb DEFAULT NULL, path text DEFAULT NULL, sha256 text DEFAULT NULL, hidden boolean DEFAULT false)
RETURNS TABLE (queries bigint, judgments bigint, added bigint, unchanged bigint, duplicates bigint,
               new_documents bigint, skipped_documents bigint, new_queries bigint, skipped_queries bigint,
               gone bigint, earlier text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    stored_scale jsonb;
    is_hidden boolean;
    is_new boolean;
    bad record;
    part bigint[];
    place CONSTANT text := coalesce(import_qrels.path, import_qrels.source);
    file_rows bigint[] := '{}';
    earlier_rows bigint[];
    sampled boolean;
BEGIN
    IF coalesce(trim(import_qrels.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a valid edition name', import_qrels.edition),
            HINT = 'Choose a name such as train or 2024-test.';
    END IF;
    PERFORM check_name('edition', import_qrels.edition), check_name('annotator', nullif(import_qrels.annotator, ''));
    IF import_qrels.on_duplicate NOT IN ('error', 'first') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a policy for duplicates', import_qrels.on_duplicate),
            HINT = 'Use error or first.';
    END IF;
    UPDATE pg_temp.incoming i SET origin = coalesce(import_qrels.origin, i.origin, 'human'),
                                  annotator = coalesce(import_qrels.annotator, i.annotator, '')
     WHERE i.origin IS NULL OR i.origin <> import_qrels.origin
        OR i.annotator IS NULL OR i.annotator <> import_qrels.annotator;
    SELECT i.line, i.origin, i.rel, i.annotator INTO bad FROM pg_temp.incoming i
     WHERE i.origin NOT IN ('human', 'llm', 'knn') OR i.rel IS NULL OR i.annotator <> '' AND NOT is_name(i.annotator)
     ORDER BY i.line LIMIT 1;
    IF bad.rel IS NULL AND bad.line IS NOT NULL OR bad.origin NOT IN ('human', 'llm', 'knn') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s', import_qrels.source, bad.line,
                             CASE WHEN bad.rel IS NULL THEN 'the judgment has no grade'
                                  ELSE format('%L is not an origin', bad.origin) END),
            HINT = 'A judgment needs an integer grade, and the origin human, llm or knn.';
    ELSIF bad.line IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s cannot be the name of an annotator', import_qrels.source, bad.line,
                             shown_name(bad.annotator)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end.';
    END IF;

    sampled := incoming_strata(import_qrels.source);
    duplicates := 0;
    IF EXISTS (SELECT FROM pg_temp.incoming i GROUP BY i.query, i.docno HAVING count(*) > 1) THEN
        SELECT i.line, i.query, i.docno, i.rel, i.first_line, i.first_rel INTO bad
          FROM (SELECT line, query, docno, rel, first_value(line) OVER pair AS first_line,
                       first_value(rel) OVER pair AS first_rel
                  FROM pg_temp.incoming WINDOW pair AS (PARTITION BY query, docno, origin, annotator ORDER BY line)) i
         WHERE i.rel <> i.first_rel ORDER BY i.line LIMIT 1;
        IF bad.line IS NOT NULL AND import_qrels.on_duplicate = 'error' THEN
            RAISE EXCEPTION USING ERRCODE = 'IR302',
                MESSAGE = format('%s:%s: query %s, document %s is %s here and %s on line %s',
                                 import_qrels.source, bad.line, bad.query, bad.docno, bad.rel, bad.first_rel,
                                 bad.first_line),
                HINT = 'Use --on-duplicate first to keep the first. Import each assessor as a file with its '
                       '--annotator.';
        END IF;
        DELETE FROM pg_temp.incoming i
         USING (SELECT ctid AS row,
                      row_number() OVER (PARTITION BY query, docno, origin, annotator ORDER BY line) AS place
                  FROM pg_temp.incoming) o
         WHERE o.row = i.ctid AND o.place > 1;
        GET DIAGNOSTICS duplicates = ROW_COUNT;
    END IF;

    INSERT INTO qrels_editions (edition, scale, hidden)
        VALUES (import_qrels.edition, import_qrels.scale, coalesce(import_qrels.hidden, false))
    ON CONFLICT DO NOTHING;
    is_new := FOUND;
    SELECT e.id, e.scale, e.hidden INTO edition_id, stored_scale, is_hidden
      FROM qrels_editions e WHERE e.edition = import_qrels.edition COLLATE "C" FOR NO KEY UPDATE;
    IF stored_scale IS DISTINCT FROM import_qrels.scale
       AND (stored_scale IS NOT NULL OR EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the grades of edition %L are %s, but those of %s would be %s', import_qrels.edition,
                             coalesce('mapped by ' || stored_scale::text, 'not mapped'),
                             import_qrels.source,
                             coalesce('mapped by ' || import_qrels.scale::text, 'not mapped')),
            HINT = 'Use the same --map, or another --edition; ''stc publish derive'' combines editions.';
    ELSIF import_qrels.scale IS NOT NULL AND stored_scale IS NULL THEN
        UPDATE qrels_editions e SET scale = import_qrels.scale WHERE e.id = edition_id;
    END IF;
    SELECT * INTO new_documents, skipped_documents, new_queries, skipped_queries
      FROM resolve_incoming(import_qrels.source, import_qrels.unknown_documents, import_qrels.unknown_queries);
    IF sampled THEN
        PERFORM import_strata(edition_id, import_qrels.source, skipped_documents);
    END IF;
    DROP TABLE IF EXISTS pg_temp.incoming_rows;
    CREATE TEMP TABLE incoming_rows ON COMMIT DROP AS
        SELECT row_number() OVER (ORDER BY q.id, d.id, i.line) AS place, i.line, q.id AS query, d.id AS doc, i.rel,
               i.origin, i.annotator
          FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query
          JOIN pg_temp.incoming_docs d ON d.docno = i.docno;
    SELECT count(DISTINCT i.query), count(*) INTO queries, judgments FROM pg_temp.incoming_rows i;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('%s has no judgment to store', import_qrels.source),
            HINT = 'The file is empty, or all its queries or documents are unknown and were skipped.';
    END IF;
    -- some 200,000 rows at a time: the triggers of a statement need memory for each row until the statement ends
    IF judgments > 1000000 THEN
        CREATE INDEX ON pg_temp.incoming_rows (place);
    END IF;
    -- Nobody else sees an edition that this transaction made, so that none of its judgments is stored.
    FOR start IN 1..judgments BY 200000 LOOP
        EXECUTE format(
            'WITH stored AS ('
            '    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, hidden)'
            '    SELECT $1, i.query, i.doc, i.rel, i.origin, i.annotator, $2'
            '      FROM pg_temp.incoming_rows i WHERE i.place BETWEEN $3 AND $3 + 199999 ORDER BY i.place'
            '    %s RETURNING id)'
            'SELECT array_agg(s.id) FROM stored s',
            CASE WHEN NOT is_new THEN 'ON CONFLICT (edition, query, doc, origin, annotator, hidden) DO NOTHING' END)
           INTO part USING edition_id, is_hidden, start;
        file_rows := file_rows || part;
    END LOOP;
    added := cardinality(file_rows);
    unchanged := judgments - added;
    IF unchanged > 0 THEN
        SELECT i.line, q.query, d.docno, i.rel, j.rel AS stored, j.annotator, count(*) OVER () - 1 AS others INTO bad
          FROM pg_temp.incoming_rows i JOIN st1_queries q ON q.id = i.query
          JOIN pg_temp.incoming_docs d ON d.id = i.doc
         CROSS JOIN LATERAL (
                SELECT s.rel, s.annotator FROM qrels_judgments s
                 WHERE (s.edition, s.query, s.doc, s.origin, s.annotator, s.hidden)
                       = (edition_id, i.query, i.doc, i.origin, i.annotator, is_hidden) LIMIT 1) j
         WHERE j.rel <> i.rel ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR302',
                MESSAGE = format('%s:%s: query %s, document %s is %s here and stored as %s%s%s', import_qrels.source,
                                 bad.line, bad.query,
                                 bad.docno, bad.rel, bad.stored,
                                 CASE WHEN bad.annotator <> '' THEN ' by ' || bad.annotator ELSE '' END,
                                 CASE WHEN bad.others > 0 THEN '; ' || counted(
                                     bad.others, 'more judgment differs', 'more judgments differ') END),
                HINT = 'Judgments are append-only: use another --edition, or name another assessor with --annotator. '
                       '''stc drop edition --file NAME'' removes the judgments of the earlier file.';
        END IF;
        file_rows := ARRAY(SELECT j.id
                             FROM pg_temp.incoming_rows i
                            CROSS JOIN LATERAL (
                                   SELECT s.id FROM qrels_judgments s
                                    WHERE (s.edition, s.query, s.doc, s.origin, s.annotator, s.hidden)
                                          = (edition_id, i.query, i.doc, i.origin, i.annotator, is_hidden) LIMIT 1) j);
    END IF;
    SELECT f.sha256, f.rows INTO earlier, earlier_rows FROM qrels_files f
     WHERE f.edition = edition_id AND f.path = place AND f.sha256 <> import_qrels.sha256 ORDER BY f.id DESC LIMIT 1;
    gone := CASE WHEN earlier_rows IS NULL THEN 0
                 ELSE (SELECT count(*) FROM (SELECT unnest(earlier_rows) AS id EXCEPT SELECT unnest(file_rows)) b
                         JOIN qrels_judgments j ON j.id = b.id AND j.edition = edition_id) END;
    UPDATE qrels_files f SET rows = file_rows
     WHERE f.edition = edition_id AND f.path = place AND f.sha256 IS NOT DISTINCT FROM import_qrels.sha256;
    IF NOT FOUND OR added > 0 THEN
        INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added, rows)
        VALUES (edition_id, (SELECT x.hidden FROM qrels_editions x WHERE x.id = edition_id), place,
                import_qrels.sha256, judgments, added, file_rows);
    END IF;
    DROP TABLE pg_temp.incoming, pg_temp.incoming_rows;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_qrels(text, text, text, text, text, text, text, jsonb, text, text, boolean) IS
    'Appends the rows of the temporary table incoming to an edition of the judgments; rows that are already stored '
    'have no effect';
