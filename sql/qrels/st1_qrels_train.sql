-- st1_qrels_train: the judgments of the edition named train, as the collection has published them: topic and query by name, doc by id.
CREATE OR REPLACE VIEW st1_qrels_train WITH (security_invoker = true) AS
SELECT t.topic, q.query, j.doc, j.rel, j.origin
  FROM qrels j
  JOIN qrels_editions e ON e.id = j.edition AND e.edition = 'train'
  JOIN st1_queries q ON q.id = j.query
  LEFT JOIN st1_topics t ON t.id = q.topic;
COMMENT ON VIEW st1_qrels_train IS 'The train judgments, as published: (topic, query, doc, rel, origin), one row per query and document';
