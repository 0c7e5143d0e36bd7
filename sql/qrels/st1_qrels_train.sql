-- st1_qrels_train: judgments of the edition train in the layout in which the collection was published: topic and query
-- by name, doc by id.
--
-- The key is a scalar subquery, which is pushed below the DISTINCT ON of qrels; a join would not be.
CREATE OR REPLACE VIEW public.st1_qrels_train WITH (security_invoker = true) AS
SELECT t.topic, q.query, j.doc, j.rel, j.origin
  FROM qrels j
  JOIN st1_queries q ON q.id = j.query
  LEFT JOIN st1_topics t ON t.id = q.topic
 WHERE j.edition = (SELECT e.id FROM qrels_editions e WHERE e.edition = 'train');
COMMENT ON VIEW public.st1_qrels_train IS
    'Judgments of the edition train as published: (topic, query, doc, rel, origin), one row per query and document';
COMMENT ON COLUMN public.st1_qrels_train.topic IS 'name of the topic';
COMMENT ON COLUMN public.st1_qrels_train.query IS 'name of the query';
COMMENT ON COLUMN public.st1_qrels_train.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.st1_qrels_train.rel IS 'grade; negative: pooled, not judged';
COMMENT ON COLUMN public.st1_qrels_train.origin IS 'human, llm or knn';
