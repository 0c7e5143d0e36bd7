-- answer_find_documents: gives each answer of a split that has no document yet the one of its query with its address.
--
-- Of several documents of a query under one address it is the first whose text holds the answer, and the first of all
-- where none does: an answer comes from one document, so that it votes once. An empty address is none.
CREATE OR REPLACE FUNCTION answer_find_documents(set_id integer) RETURNS void
LANGUAGE sql SET search_path = stc, public, pg_temp AS $$
    UPDATE answers a
       SET document = CASE WHEN u.documents = 1 THEN u.first ELSE (
               SELECT d.id FROM answer_documents d WHERE d.query = a.query AND d.url = a.url
                ORDER BY position(a.text IN d.text) > 0 DESC, d.place LIMIT 1) END
      FROM (SELECT d.query, d.url, min(d.id) AS first, count(*) AS documents
              FROM answer_documents d JOIN answer_queries q ON q.id = d.query
             WHERE q.set = answer_find_documents.set_id AND d.url <> '' GROUP BY d.query, d.url) u
     WHERE a.query = u.query AND a.url = u.url AND a.document IS NULL AND a.source = 'given';
$$;
COMMENT ON FUNCTION answer_find_documents(integer) IS
'Gives each answer without a document the one of its query that has its address';
