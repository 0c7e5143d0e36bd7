-- group_judgments: judgments of each judgment group of an edition, one row per (edition, query, annotator, doc).
--
-- A judgment group is an annotator: column 2 of a TREC file imported with stc load --as qrels --columns
-- query,annotator,doc,rel. If an annotator judged a document under several origins, a human judgment takes precedence
-- over one of a language model, and that over one of a kNN expansion.
CREATE OR REPLACE VIEW group_judgments WITH (security_invoker = true) AS
SELECT DISTINCT ON (j.edition, j.query, j.annotator, j.doc) j.edition, j.query, j.annotator, j.doc, j.rel
  FROM qrels_judgments j
 ORDER BY j.edition, j.query, j.annotator, j.doc, origin_precedence(j.origin), j.id;
COMMENT ON VIEW group_judgments IS 'Judgments by judgment group: one row per edition, query, annotator and document';
