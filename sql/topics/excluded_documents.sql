-- excluded_documents: the documents that are left out of search, runs, pools and scores for a query, one row per pair
-- (exclude_documents).
CREATE OR REPLACE VIEW public.excluded_documents WITH (security_invoker = true) AS
SELECT q.query, d.docno
  FROM st1_queries q CROSS JOIN LATERAL unnest(q.excluded) AS u (doc) JOIN dblp d ON d.id = u.doc;
COMMENT ON VIEW public.excluded_documents IS
    'Documents that are left out of search, runs, pools and scores for a query';
COMMENT ON COLUMN public.excluded_documents.query IS 'name of the query';
COMMENT ON COLUMN public.excluded_documents.docno IS 'name of the document';
