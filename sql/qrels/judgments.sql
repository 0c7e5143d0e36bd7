-- judgments: all stored judgments by name. Several people, or a person and a model, may judge the same document; the
-- view qrels selects the judgment that counts.
CREATE OR REPLACE VIEW public.judgments WITH (security_invoker = true) AS
SELECT e.edition, q.query, d.docno, j.rel, j.origin, nullif(j.annotator, '') AS annotator, j.doc, j.judged
  FROM qrels_judgments j
  JOIN qrels_editions e ON e.id = j.edition
  JOIN st1_queries q ON q.id = j.query
  JOIN dblp d ON d.id = j.doc;
COMMENT ON VIEW public.judgments IS
    'Judgments by name: edition, query, document, grade, and the person or system that judged';
COMMENT ON COLUMN public.judgments.edition IS 'name of the edition';
COMMENT ON COLUMN public.judgments.query IS 'name of the query';
COMMENT ON COLUMN public.judgments.docno IS 'name of the document outside the database';
COMMENT ON COLUMN public.judgments.rel IS 'grade; negative: pooled, not judged';
COMMENT ON COLUMN public.judgments.origin IS 'human, llm or knn (expansion by nearest neighbours)';
COMMENT ON COLUMN public.judgments.annotator IS 'person or model that judged; NULL if unknown';
COMMENT ON COLUMN public.judgments.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.judgments.judged IS 'when the judgment was stored';
