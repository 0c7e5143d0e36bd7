-- answer_load_documents: store the rows of the temporary table answer_papers (answer_stage) as queries and documents.
-- file is its row in the ledger. Returns the number of lines that became a query or added a document.
--
-- A repeated query keeps its place and gets the documents of both lines; a repeated doc_id within a query is not
-- stored, and the first is kept. Queries that exist only in the pairs, loaded earlier, move behind those of the
-- documents. Answers without a document are linked to the new documents.
CREATE OR REPLACE FUNCTION answer_load_documents(file integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp
SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    set_id integer := (SELECT f.set FROM answer_files f WHERE f.id = answer_load_documents.file);
    queries_there integer;
    stored_lines bigint;
BEGIN
    ANALYZE pg_temp.answer_papers;
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_load_documents.file, p.line, 'duplicate',
           format('the query is already on line %s; its documents are added there', p.first)
      FROM (SELECT line, min(line) OVER (PARTITION BY query) AS first
              FROM (SELECT DISTINCT line, query FROM pg_temp.answer_papers) l) p
     WHERE p.line > p.first;
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_load_documents.file, p.line, 'duplicate',
           format('doc_id %s is already in this query, with %s', quote_literal(left(p.doc_id, 60)),
                  CASE WHEN (p.url, p.title, p.text) = (p.url1, p.title1, p.text1) THEN 'the same content'
                       ELSE 'other content; the first is kept' END)
      FROM (SELECT *, row_number() OVER seen AS number, first_value(url) OVER seen AS url1,
                   first_value(title) OVER seen AS title1,
                   first_value(text) OVER seen AS text1
              FROM pg_temp.answer_papers WHERE doc_id IS NOT NULL
            WINDOW seen AS (PARTITION BY query, doc_id ORDER BY line, place)) p
     WHERE p.number > 1;

    INSERT INTO answer_queries AS q (set, place, text, hidden)
    SELECT set_id, row_number() OVER (ORDER BY min(p.line)), p.query,
           (SELECT s.hidden FROM answer_sets s WHERE s.id = set_id)
      FROM pg_temp.answer_papers p GROUP BY p.query
    ON CONFLICT (set, text) DO UPDATE SET place = excluded.place;
    GET DIAGNOSTICS queries_there = ROW_COUNT;
    UPDATE answer_queries q SET place = queries_there + o.place
      FROM (SELECT id, row_number() OVER (ORDER BY place) AS place FROM answer_queries l
             WHERE l.set = set_id AND NOT EXISTS (SELECT FROM pg_temp.answer_papers p WHERE p.query = l.text)) o
     WHERE o.id = q.id;
    INSERT INTO answer_documents (query, place, doc_id, url, title, text)
    SELECT q.id, row_number() OVER (PARTITION BY q.id ORDER BY p.line, p.place), p.doc_id, p.url, p.title, p.text
      FROM (SELECT *, row_number() OVER (PARTITION BY query, doc_id ORDER BY line, place) AS number
              FROM pg_temp.answer_papers WHERE doc_id IS NOT NULL) p
      JOIN answer_queries q ON q.set = set_id AND q.text = p.query
     WHERE p.number = 1
     ORDER BY q.place, p.line, p.place;
    SELECT count(DISTINCT l.line) INTO stored_lines
      FROM (SELECT line, row_number() OVER (PARTITION BY query ORDER BY line) AS of_query, doc_id,
                   row_number() OVER (PARTITION BY query, doc_id ORDER BY line, place) AS of_document
              FROM pg_temp.answer_papers) l
     WHERE l.of_query = 1 OR (l.doc_id IS NOT NULL AND l.of_document = 1);
    PERFORM answer_find_documents(set_id);
    RETURN stored_lines;
END
$$;
COMMENT ON FUNCTION answer_load_documents(integer) IS
    'Stores the staged documents of one file as queries and documents; returns the number of lines used';
