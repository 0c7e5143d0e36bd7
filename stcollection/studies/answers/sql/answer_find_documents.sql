-- answer_find_documents: link each answer of a split that has no document to the document of its query with its
-- address.
--
-- If several documents of a query have the address, the first whose text contains the answer is used, or else the first
-- of all: an answer comes from one document, so that it votes once. An empty address matches nothing.
CREATE OR REPLACE FUNCTION answer_find_documents(set_id integer) RETURNS void
LANGUAGE sql SET search_path = stc_all, stc, public, pg_temp AS $$
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
    'Links each answer without a document to the document of its query with the same address';
