-- annotation_means: a measure of the documents that people gave each grade: one row a measure, group of annotators and grade; the group
-- NULL is all of them together.
--
--   mean = sum of values / n;  sd = sqrt(sum (value - mean)² / (n - 1));  se = sd / sqrt(n)
--
-- Every grade is an observation: a document that two annotators of a group give the same grade counts twice in n, once in documents. Where
-- n is above documents, se takes repeated values for independent ones and is too small.
-- sd and se are NULL for one observation. A grade that was not given, or to documents without the measure alone, has no row.
-- Raises IR108, IR111, IR202, IR405 as annotation_measures and annotation_groups.
CREATE OR REPLACE FUNCTION annotation_means(aspect text DEFAULT 'complexity', measures text[] DEFAULT '{}', groups text[] DEFAULT '{}')
RETURNS TABLE (measure text, annotator_group text, grade integer, n bigint, documents bigint,
               mean double precision, sd double precision, se double precision)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    asked text[] := annotation_groups(annotation_means.aspect, annotation_means.groups);
    named text[] := annotation_measures(annotation_means.aspect, annotation_means.measures);
BEGIN
    RETURN QUERY
    WITH told AS MATERIALIZED (
        SELECT d.doc, v.at, v.value
          FROM annotated_documents(annotation_means.aspect, named) d
         CROSS JOIN LATERAL unnest(d.told) WITH ORDINALITY AS v (value, at) WHERE v.value IS NOT NULL),
    given AS MATERIALIZED (
        SELECT a.doc, w.annotator_group, a.grade::integer AS grade,
               row_number() OVER (PARTITION BY a.doc, a.grade) = 1 AS first_of_all,
               row_number() OVER (PARTITION BY a.doc, a.grade, w.annotator_group) = 1 AS first_of_group
          FROM annotations a JOIN annotators w ON w.annotator = a.annotator
         WHERE a.aspect = annotation_means.aspect AND w.annotator_group = ANY (asked))
    SELECT named[t.at], g.annotator_group, g.grade, count(*),
           CASE WHEN grouping(g.annotator_group) = 1 THEN count(*) FILTER (WHERE g.first_of_all)
                ELSE count(*) FILTER (WHERE g.first_of_group) END,
           avg(t.value), stddev_samp(t.value), stddev_samp(t.value) / sqrt(count(*))
      FROM given g JOIN told t ON t.doc = g.doc
     GROUP BY GROUPING SETS ((t.at, g.annotator_group, g.grade), (t.at, g.grade))
     ORDER BY t.at, g.annotator_group COLLATE "C" NULLS LAST, g.grade;
END
$$;
COMMENT ON FUNCTION annotation_means(text, text[], text[]) IS
    'A measure of the documents that people gave each grade, by group of annotators: mean, n, standard error';
