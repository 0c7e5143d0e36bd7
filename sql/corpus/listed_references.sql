-- listed_references: the references that documents list, one row per reference. It reads no table but dblp, so that it
-- also works in a distributed collection.
--
--   doc    dblp.id of the citing document
--   docno  docno of the cited document, which may be missing from the corpus
CREATE OR REPLACE VIEW listed_references WITH (security_invoker = true) AS
SELECT d.id AS doc, r.docno COLLATE "C" AS docno
  FROM dblp d
 CROSS JOIN LATERAL jsonb_array_elements_text(
       CASE jsonb_typeof(d.doc -> 'references') WHEN 'array' THEN d.doc -> 'references' END) AS r (docno)
 WHERE NOT d.stub AND r.docno IS NOT NULL;
COMMENT ON VIEW listed_references IS 'References that documents list, one row per reference, by docno';
