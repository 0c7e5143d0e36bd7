-- annotation_sheets: the grades in the form of an annotation file, one row per document and annotator. NULL if an
-- aspect was not graded.
CREATE OR REPLACE VIEW stc_all.annotation_sheets WITH (security_invoker = true) AS
SELECT d.docno, a.annotator, w.annotator_group,
       max(a.grade) FILTER (WHERE a.aspect = 'complexity') AS complexity,
       max(a.grade) FILTER (WHERE a.aspect = 'credibility') AS credibility
  FROM stc_all.annotations a JOIN stc_all.annotators w ON w.annotator = a.annotator JOIN dblp d ON d.id = a.doc
 GROUP BY d.docno, a.annotator, w.annotator_group;
COMMENT ON VIEW stc_all.annotation_sheets IS
'Grades of annotators as in files, one row per document and annotator; NULL if an aspect was not graded';
