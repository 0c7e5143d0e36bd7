-- st1_qrels_train_knn: judgments of the edition train, plus the nearest neighbours by title of each document judged 2,
-- labelled 2 with origin knn.
--
-- For each source, those of the 10 nearest documents with a cosine of at least 0.8. As published, with three
-- corrections: existing judgments are kept, no document is its own neighbour, and there is one row per query and
-- document.
--
-- Computed on reading, by the title index if there is one, for all sources at once (near_documents): also if the
-- statement reads one query only. expand_qrels stores an expansion as an edition, with exact neighbours.
CREATE OR REPLACE VIEW public.st1_qrels_train_knn WITH (security_invoker = true) AS
SELECT j.topic, j.query, j.doc, j.rel, j.origin FROM st1_qrels_train j
UNION ALL
SELECT s.topic, s.query, n.doc, s.rel, 'knn'
  FROM stc.near_documents(array(SELECT DISTINCT t.doc FROM st1_qrels_train t WHERE t.rel = 2 AND t.origin <> 'knn'),
                          effort => NULL) n
  JOIN st1_qrels_train s ON s.doc = n.source AND s.rel = 2 AND s.origin <> 'knn'
 WHERE NOT EXISTS (SELECT FROM st1_qrels_train j WHERE j.query = s.query AND j.doc = n.doc)
 GROUP BY s.topic, s.query, n.doc, s.rel;
COMMENT ON VIEW public.st1_qrels_train_knn IS
    'Judgments of the edition train with their expansion by title neighbours (10, cosine >= 0.8, from rel = 2); '
    'existing judgments are kept';
COMMENT ON COLUMN public.st1_qrels_train_knn.topic IS 'name of the topic';
COMMENT ON COLUMN public.st1_qrels_train_knn.query IS 'name of the query';
COMMENT ON COLUMN public.st1_qrels_train_knn.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.st1_qrels_train_knn.rel IS 'grade; negative: pooled, not judged';
COMMENT ON COLUMN public.st1_qrels_train_knn.origin IS 'human, llm or knn';
