-- import_qrels: appends the rows of the temporary table incoming (stage_incoming) to an edition of the judgments; makes
-- the edition.
--
-- Judgments are append-only. One that says again what is stored changes nothing and counts as unchanged; the same file
-- twice is so. Another grade by the same annotator for the same document, stored or earlier in the file, is IR302,
-- which names the line; on_duplicate first keeps the first one of the file, but never overrules a stored one.
-- origin, annotator: of all rows; NULL takes those of the row, else human and ''. Unknown queries and documents:
-- resolve_incoming.
-- scale: the mapping {theirs: ours} that the grades came by, NULL if they are the file's own; an edition has one,
-- another is IR202.
-- path, sha256: of the file, for the ledger (qrels_files). Into a sealed edition nothing new goes: IR407.
-- gone: judgments that the version of this path imported before has, and this one has not; earlier: its SHA-256.
-- hidden: a new edition is, from participants and readers, until release_edition; one that is stored stays what it is.
-- Imports into one edition wait for each other.
-- Judgments are looked up one by one, by the unique key (LATERAL … LIMIT 1): the statistics do not know the rows that
-- were just stored, and a join chosen by them takes time that grows with the square of the file.
CREATE OR REPLACE FUNCTION import_qrels(
    edition text, source text DEFAULT 'incoming', origin text DEFAULT NULL, annotator text DEFAULT NULL,
    on_duplicate text DEFAULT 'error', unknown_documents text DEFAULT 'stub', unknown_queries text DEFAULT 'stub',
    scale jsonb DEFAULT NULL, path text DEFAULT NULL, sha256 text DEFAULT NULL, hidden boolean DEFAULT false)
RETURNS TABLE (queries bigint, judgments bigint, added bigint, unchanged bigint, duplicates bigint,
               new_documents bigint, skipped_documents bigint, new_queries bigint, skipped_queries bigint,
               gone bigint, earlier text)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    stored_scale jsonb;
    is_hidden boolean;
    bad record;
    place CONSTANT text := coalesce(import_qrels.path, import_qrels.source);
    file_rows bigint[];
    earlier_rows bigint[];
BEGIN
    IF coalesce(trim(import_qrels.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is no name of an edition', import_qrels.edition),
            HINT = 'A name has at least one letter, as train or 2024-test.';
    END IF;
    PERFORM check_name('edition', import_qrels.edition), check_name('annotator', nullif(import_qrels.annotator, ''));
    IF import_qrels.on_duplicate NOT IN ('error', 'first') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is no policy for duplicates', import_qrels.on_duplicate),
            HINT = 'The policies are error and first.';
    END IF;
    UPDATE pg_temp.incoming i SET origin = coalesce(import_qrels.origin, i.origin, 'human'),
                                  annotator = coalesce(import_qrels.annotator, i.annotator, '');
    SELECT i.line, i.origin, i.rel INTO bad FROM pg_temp.incoming i
     WHERE i.origin NOT IN ('human', 'llm', 'knn') OR i.rel IS NULL ORDER BY i.line LIMIT 1;
    IF bad.line IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s', import_qrels.source, bad.line,
                             CASE WHEN bad.rel IS NULL THEN 'a judgment without grade'
                                  ELSE format('%L is no origin', bad.origin) END),
            HINT = 'A judgment has a whole number as its grade, and the origin human, llm or knn.';
    END IF;

    SELECT i.line, i.annotator INTO bad FROM pg_temp.incoming i WHERE i.annotator <> '' AND NOT is_name(i.annotator)
     ORDER BY i.line LIMIT 1;
    IF bad.line IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s cannot be the name of an annotator', import_qrels.source, bad.line,
                             shown_name(bad.annotator)),
            HINT = 'A name has 1 to 200 printable characters and no space at either end.';
    END IF;

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
            HINT = '--on-duplicate first keeps the first; two assessors are two files, each with its --annotator.';
    END IF;
    DELETE FROM pg_temp.incoming i
     USING (SELECT line, row_number() OVER (PARTITION BY query, docno, origin, annotator ORDER BY line) AS place
              FROM pg_temp.incoming) o
     WHERE o.line = i.line AND o.place > 1;
    GET DIAGNOSTICS duplicates = ROW_COUNT;

    INSERT INTO qrels_editions (edition, scale, hidden)
        VALUES (import_qrels.edition, import_qrels.scale, coalesce(import_qrels.hidden, false))
    ON CONFLICT DO NOTHING;
    SELECT e.id, e.scale, e.hidden INTO edition_id, stored_scale, is_hidden
      FROM qrels_editions e WHERE e.edition = import_qrels.edition COLLATE "C" FOR NO KEY UPDATE;
    IF stored_scale IS DISTINCT FROM import_qrels.scale
       AND (stored_scale IS NOT NULL OR EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the grades of the edition %L are %s, those of %s would be %s', import_qrels.edition,
                             coalesce('mapped by ' || stored_scale::text, 'as their files have them'),
                             import_qrels.source,
                             coalesce('mapped by ' || import_qrels.scale::text, 'as they are')),
            HINT = 'Take the same --map, or another --edition; ''stc qrels derive'' puts editions together.';
    ELSIF import_qrels.scale IS NOT NULL AND stored_scale IS NULL THEN
        UPDATE qrels_editions e SET scale = import_qrels.scale WHERE e.id = edition_id;
    END IF;
    SELECT * INTO new_documents, skipped_documents, new_queries, skipped_queries
      FROM resolve_incoming(import_qrels.source, import_qrels.unknown_documents, import_qrels.unknown_queries);
    SELECT count(DISTINCT i.query), count(*) INTO queries, judgments
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN dblp d ON d.docno = i.docno;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('%s has no judgment to store', import_qrels.source),
            HINT = 'Is the file empty, or are all its queries or documents unknown and skipped?';
    END IF;
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, hidden)
    SELECT edition_id, q.id, d.id, i.rel, i.origin, i.annotator, is_hidden
      FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN dblp d ON d.docno = i.docno
     ORDER BY i.line
    ON CONFLICT (edition, query, doc, origin, annotator, hidden) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    unchanged := judgments - added;
    IF unchanged > 0 THEN
        SELECT i.line, i.query, i.docno, i.rel, j.rel AS stored, j.annotator, count(*) OVER () - 1 AS others INTO bad
          FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query JOIN dblp d ON d.docno = i.docno
         CROSS JOIN LATERAL (
                SELECT s.rel, s.annotator FROM qrels_judgments s
                 WHERE (s.edition, s.query, s.doc, s.origin, s.annotator, s.hidden)
                       = (edition_id, q.id, d.id, i.origin, i.annotator, is_hidden) LIMIT 1) j
         WHERE j.rel <> i.rel ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR302',
                MESSAGE = format('%s:%s: query %s, document %s is %s here and stored as %s%s%s', import_qrels.source,
                                 bad.line, bad.query,
                                 bad.docno, bad.rel, bad.stored,
                                 CASE WHEN bad.annotator <> '' THEN ' by ' || bad.annotator ELSE '' END,
                                 CASE WHEN bad.others > 0 THEN format('; %s more judgments differ', bad.others) END),
                HINT = 'Judgments are append-only: take another --edition, or name another assessor by --annotator. '
                       '''stc qrels drop --file NAME'' removes the judgments of the earlier file.';
        END IF;
    END IF;
    file_rows := ARRAY(SELECT j.id
                         FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query
                         JOIN dblp d ON d.docno = i.docno
                        CROSS JOIN LATERAL (
                               SELECT s.id FROM qrels_judgments s
                                WHERE (s.edition, s.query, s.doc, s.origin, s.annotator, s.hidden)
                                      = (edition_id, q.id, d.id, i.origin, i.annotator, is_hidden) LIMIT 1) j);
    SELECT f.sha256, f.rows INTO earlier, earlier_rows FROM qrels_files f
     WHERE f.edition = edition_id AND f.path = place AND f.sha256 <> import_qrels.sha256 ORDER BY f.id DESC LIMIT 1;
    gone := (SELECT count(*) FROM (SELECT unnest(earlier_rows) AS id EXCEPT SELECT unnest(file_rows)) b
               JOIN qrels_judgments j ON j.id = b.id AND j.edition = edition_id);
    UPDATE qrels_files f SET rows = file_rows
     WHERE f.edition = edition_id AND f.path = place AND f.sha256 IS NOT DISTINCT FROM import_qrels.sha256;
    IF NOT FOUND OR added > 0 THEN
        INSERT INTO qrels_files (edition, path, sha256, judgments, added, rows)
        VALUES (edition_id, place, import_qrels.sha256, judgments, added, file_rows);
    END IF;
    DROP TABLE pg_temp.incoming;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_qrels(text, text, text, text, text, text, text, jsonb, text, text, boolean) IS
'Appends the rows of the temporary table incoming to an edition of the judgments; what is stored already changes '
'nothing';
