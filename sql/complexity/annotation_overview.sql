-- annotation_overview: the annotators of each group, the documents they graded, and the count of each grade, one row
-- per group and aspect.
CREATE OR REPLACE VIEW stc_all.annotation_overview WITH (security_invoker = true) AS
SELECT w.annotator_group, a.aspect, count(DISTINCT a.annotator) AS annotators, count(DISTINCT a.doc) AS documents,
       count(*) AS grades,
       count(*) FILTER (WHERE a.grade = 0) AS grade_0, count(*) FILTER (WHERE a.grade = 1) AS grade_1,
       count(*) FILTER (WHERE a.grade = 2) AS grade_2, avg(a.grade)::double precision AS mean,
       array_agg(DISTINCT a.annotator ORDER BY a.annotator) AS names
  FROM stc_all.annotations a JOIN stc_all.annotators w ON w.annotator = a.annotator
 GROUP BY w.annotator_group, a.aspect;
COMMENT ON VIEW stc_all.annotation_overview IS
'Groups of annotators by aspect: annotators, graded documents, and the number of times each grade was given';
