-- queries_in_documents: queries of ten words or more whose text occurs in a document, and the document. Such a query
-- was perhaps taken from it, and every system finds it first; exclude_documents leaves it out.
--
-- Upper case, punctuation and spaces do not count. Of a set (query_set) the first 200 such queries are compared, each
-- with the ten best documents that contain its first 20 words, so that this takes less time than a run. More words cost
-- more and rarely exclude a document: on ACM-CR 200 queries of 150 words take 1.7 s so, and 4.2 s with all words.
CREATE OR REPLACE FUNCTION queries_in_documents(query_set text DEFAULT 'all')
RETURNS TABLE (query text, docno text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, min(d.docno)
      FROM (SELECT r.query, r.text, x.excluded,
                   format(' %s ', lower(btrim(regexp_replace(r.text, '\W+', ' ', 'g')))) AS plain
              FROM run_queries(queries_in_documents.query_set, 'query') r JOIN st1_queries x ON x.id = r.id
             WHERE r.text ~ '(\w+\W+){9}\w' AND length(r.text) < 10000
             ORDER BY r.id LIMIT 200) q
     CROSS JOIN LATERAL conjunctive_search(substring(q.text FROM '(?:\W*\w+){1,20}'), 10) s
      JOIN dblp d ON d.id = s.doc JOIN dblp_text t ON t.id = s.doc
     WHERE s.doc <> ALL (q.excluded)
       AND position(q.plain IN lower(regexp_replace(concat(' ', t.title, ' ', t.abstract, ' '), '\W+', ' ', 'g'))) > 0
     GROUP BY q.query ORDER BY q.query
$$;
COMMENT ON FUNCTION queries_in_documents(text) IS
'Long queries whose text occurs in a document, which every system finds first, and the document';
