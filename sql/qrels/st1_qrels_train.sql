-- st1_qrels_train: judgments of the edition train in the layout in which the collection was published: topic and query
-- by name, doc by id.
--
-- The judgments that count are those of the view qrels: no other of the same query and document precedes them. qrels
-- itself is not read, because its DISTINCT ON would read all judgments of the edition for a condition on the name of a
-- query or a join with documents.
CREATE OR REPLACE VIEW public.st1_qrels_train WITH (security_invoker = true) AS
SELECT t.topic, q.query, j.doc, j.rel, j.origin
  FROM qrels_judgments j
  JOIN st1_queries q ON q.id = j.query
  LEFT JOIN st1_topics t ON t.id = q.topic
 WHERE j.edition = (SELECT e.id FROM qrels_editions e WHERE e.edition = 'train')
   AND NOT EXISTS (SELECT FROM qrels_judgments b
                    WHERE b.edition = j.edition AND b.query = j.query AND b.doc = j.doc
                      AND (NOT b.final, origin_precedence(b.origin), CASE WHEN b.final THEN -b.id ELSE b.id END)
                          < (NOT j.final, origin_precedence(j.origin), CASE WHEN j.final THEN -j.id ELSE j.id END));
COMMENT ON VIEW public.st1_qrels_train IS
    'Judgments of the edition train as published: (topic, query, doc, rel, origin), one row per query and document';
COMMENT ON COLUMN public.st1_qrels_train.topic IS 'name of the topic';
COMMENT ON COLUMN public.st1_qrels_train.query IS 'name of the query';
COMMENT ON COLUMN public.st1_qrels_train.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.st1_qrels_train.rel IS 'grade; negative: pooled, not judged';
COMMENT ON COLUMN public.st1_qrels_train.origin IS 'human, llm or knn';
