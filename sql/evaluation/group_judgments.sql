-- group_judgments: what each judgment group of an edition says, one row per (edition, query, annotator, doc). A
-- judgment group is an annotator: column 2 of a TREC file, where stc qrels import --columns query,annotator,doc,rel
-- takes it for one. Where one annotator's name stands under several origins, a human judgment comes before one of a
-- language model before one by kNN expansion.
CREATE OR REPLACE VIEW group_judgments WITH (security_invoker = true) AS
SELECT DISTINCT ON (j.edition, j.query, j.annotator, j.doc) j.edition, j.query, j.annotator, j.doc, j.rel
  FROM qrels_judgments j
 ORDER BY j.edition, j.query, j.annotator, j.doc, origin_precedence(j.origin), j.id;
COMMENT ON VIEW group_judgments IS
'What each annotator of an edition says: one judgment per query, annotator and document';
