-- qrels: judgments that count in each edition, one row per (edition, query, doc): the latest final decision, else
-- human before language model before kNN expansion, and the earliest of several with the same origin.
--
-- Columns are keys: qrels_editions.id, st1_queries.id, dblp.id. A condition on edition or query is pushed below the
-- DISTINCT ON.
CREATE OR REPLACE VIEW public.qrels WITH (security_invoker = true) AS
SELECT DISTINCT ON (j.edition, j.query, j.doc) j.edition, j.query, j.doc, j.rel, j.origin
  FROM qrels_judgments j
 ORDER BY j.edition, j.query, j.doc, NOT j.final, origin_precedence(j.origin),
          CASE WHEN j.final THEN -j.id ELSE j.id END;
COMMENT ON VIEW public.qrels IS
    'Judgments that count in each edition: one per query and document, final before human before llm before knn, '
    'earliest first';
COMMENT ON COLUMN public.qrels.edition IS 'qrels_editions.id';
COMMENT ON COLUMN public.qrels.query IS 'st1_queries.id';
COMMENT ON COLUMN public.qrels.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.qrels.rel IS 'grade; negative: pooled, not judged';
COMMENT ON COLUMN public.qrels.origin IS 'human, llm or knn (expansion by nearest neighbours)';
