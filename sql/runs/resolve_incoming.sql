-- resolve_incoming: handle the queries and documents of the temporary table incoming that are not stored, by policy.
--
--   stub    store them by name only: a query without text; a document with stub = true, which is never retrieved or
--           counted
--   few     for documents: like stub if at most 10 of them or 10 %, and at most half, are not stored, or if the
--           collection has no documents at all, as one used only for scoring; otherwise IR301 with the counts
--   skip    remove their rows from incoming. skipped_* counts the rows; a row with both unknown counts for its query
--   error   raise IR301 with the first line
--
-- stub requires the right to add documents or queries; without it, unknown ones raise IR410. Stubs are stored in the
-- order of their names, so that concurrent imports of the same stubs lock them in the same order. Rows are skipped
-- before anything is stored, so that nothing is stored for a skipped row. A document whose docno is an integer in its
-- shortest form gets that number as its id, others get one from dblp_id_seq. Callers find the id of each document in
-- the temporary table incoming_docs.
CREATE OR REPLACE FUNCTION resolve_incoming(
    source text, unknown_documents text, unknown_queries text,
    OUT new_documents bigint, OUT skipped_documents bigint, OUT new_queries bigint, OUT skipped_queries bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning
SET default_statistics_target = 10 AS $$
#variable_conflict use_column
DECLARE
    policy text;
    missing record;
    document_policy text := CASE resolve_incoming.unknown_documents WHEN 'few' THEN 'stub'
                                 ELSE resolve_incoming.unknown_documents END;
BEGIN
    FOREACH policy IN ARRAY ARRAY[document_policy, resolve_incoming.unknown_queries] LOOP
        IF policy IS NULL OR policy NOT IN ('stub', 'skip', 'error') THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not a policy for unknown names', policy),
                HINT = 'Use stub, skip or error; for documents also few.';
        END IF;
    END LOOP;
    new_documents := 0; skipped_documents := 0; new_queries := 0; skipped_queries := 0;
    ANALYZE pg_temp.incoming;
    -- Documents are read once, in separate statements: Citus cannot compare them with local rows one by one.
    DROP TABLE IF EXISTS pg_temp.incoming_docs, pg_temp.unknown_docs;
    CREATE TEMP TABLE unknown_docs ON COMMIT DROP AS SELECT DISTINCT i.docno FROM pg_temp.incoming i;
    ANALYZE pg_temp.unknown_docs;
    CREATE TEMP TABLE incoming_docs ON COMMIT DROP AS
        SELECT d.id, d.docno FROM dblp d WHERE d.docno IN (SELECT u.docno FROM pg_temp.unknown_docs u);
    ANALYZE pg_temp.incoming_docs;
    IF (SELECT count(*) FROM pg_temp.incoming_docs) = (SELECT count(*) FROM pg_temp.unknown_docs) THEN
        TRUNCATE pg_temp.unknown_docs;
    ELSE
        DELETE FROM pg_temp.unknown_docs u USING pg_temp.incoming_docs d WHERE d.docno = u.docno;
    END IF;

    IF unknown_queries = 'skip' THEN
        DELETE FROM pg_temp.incoming i WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query);
        GET DIAGNOSTICS skipped_queries = ROW_COUNT;
    ELSIF unknown_queries = 'error' THEN
        SELECT i.line, i.query INTO missing FROM pg_temp.incoming i
         WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query) ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('%s:%s: query %s is not stored', source, missing.line, missing.query),
                HINT = 'Load its topics first (stc load --as topics), or use --unknown-queries stub or skip.';
        END IF;
    END IF;
    IF unknown_documents = 'few' AND has_table_privilege('dblp', 'INSERT')
        AND EXISTS (SELECT 1 FROM dblp d WHERE NOT d.stub LIMIT 1) THEN
        SELECT (SELECT count(*) FROM pg_temp.incoming_docs d) + count(*) AS named, count(*) AS unknown INTO missing
          FROM pg_temp.unknown_docs u;
        IF missing.unknown > missing.named / 2.0 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('%s: this looks like a file of another collection: %s of its %s %s not in '
                                 'this one, for example %s', source, counted(missing.unknown),
                                 counted(missing.named, 'document'),
                                 CASE missing.unknown WHEN 1 THEN 'is' ELSE 'are' END,
                                 (SELECT string_agg(shown_name(u.docno), ', ' ORDER BY u.docno)
                                    FROM (SELECT n.docno FROM pg_temp.unknown_docs n ORDER BY n.docno LIMIT 3) u)),
                HINT = 'Check the collection (--db) and that its whole corpus is loaded. Use --unknown-docs stub to '
                       'store them by name, or skip to omit their lines. Nothing was stored.';
        ELSIF missing.unknown > greatest(10, missing.named / 10) THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('%s: %s of its %s are not in the collection', source, counted(missing.unknown),
                                 counted(missing.named, 'document')),
                HINT = 'Check that the file belongs to this collection. Use --unknown-docs stub to store them by name, '
                       'or skip to omit their lines. Nothing was stored.';
        END IF;
    END IF;
    IF unknown_documents = 'skip' THEN
        DELETE FROM pg_temp.incoming i WHERE i.docno IN (SELECT u.docno FROM pg_temp.unknown_docs u);
        GET DIAGNOSTICS skipped_documents = ROW_COUNT;
    ELSIF unknown_documents = 'error' THEN
        SELECT i.line, i.docno INTO missing FROM pg_temp.incoming i
         WHERE i.docno IN (SELECT u.docno FROM pg_temp.unknown_docs u) ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('%s:%s: document %s is not stored', source, missing.line, missing.docno),
                HINT = 'Load the corpus first (stc load --as corpus), or use --unknown-docs stub or skip.';
        END IF;
    END IF;

    IF unknown_queries = 'stub' AND NOT has_any_column_privilege('st1_queries', 'INSERT') THEN
        SELECT i.line, i.query INTO missing FROM pg_temp.incoming i
         WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query) ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR410',
                MESSAGE = format('%s:%s: query %s is not stored, and %s may not add queries', source, missing.line,
                                 missing.query, current_user),
                HINT = 'Use --unknown-queries skip to omit its rows, or error.';
        END IF;
    ELSIF unknown_queries = 'stub' THEN
        SELECT i.line, i.query INTO missing
          FROM (SELECT i.line, i.query FROM pg_temp.incoming i
                 WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query) OFFSET 0) i
         WHERE NOT is_name(i.query) ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('%s:%s: %s cannot be the name of a query', source, missing.line,
                                 shown_name(missing.query)),
                HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line. Nothing '
                       'was stored.';
        END IF;
        INSERT INTO st1_queries (query)
        SELECT i.query FROM pg_temp.incoming i
         WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query)
         GROUP BY i.query ORDER BY i.query COLLATE "C"
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS new_queries = ROW_COUNT;
    END IF;
    IF document_policy = 'stub' AND NOT has_table_privilege('dblp', 'INSERT') THEN
        SELECT i.line, i.docno INTO missing FROM pg_temp.incoming i
         WHERE i.docno IN (SELECT u.docno FROM pg_temp.unknown_docs u) ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR410',
                MESSAGE = format('%s:%s: document %s is not stored, and %s may not add documents', source, missing.line,
                                 missing.docno,
                                 current_user),
                HINT = 'Use --unknown-docs skip to omit its rows, or error.';
        END IF;
    ELSIF document_policy = 'stub' AND EXISTS (SELECT FROM pg_temp.unknown_docs) THEN
        new_documents := store_stubs(ARRAY(SELECT u.docno FROM pg_temp.unknown_docs u));
        INSERT INTO pg_temp.incoming_docs (id, docno)
        SELECT d.id, d.docno FROM pg_temp.unknown_docs u JOIN dblp d ON d.docno = u.docno;
    END IF;
END
$$;
COMMENT ON FUNCTION resolve_incoming(text, text, text) IS
    'Stores, skips or refuses the queries and documents of the temporary table incoming that are not stored, by '
    'policy';
