-- annotation_means: the mean of each measure over the documents that received each grade, one row per measure, group of
-- annotators and grade. Group NULL is all annotators together.
--
--   mean = sum of values / n;  sd = sqrt(sum (value - mean)² / (n - 1));  se = sd / sqrt(n)
--
-- n counts documents. A document that received one grade from several annotators of a group counts once, because its
-- measure is one value and not several independent ones. A document with different grades counts under each. grades:
-- number of times the grade was given to these documents. sd and se are NULL for one document. A grade has no row if it
-- was never given, or only to documents without the measure.
-- Raises IR108, IR111, IR202, IR405 as annotation_measures and annotation_groups.
CREATE OR REPLACE FUNCTION annotation_means(aspect text DEFAULT 'complexity', measures text[] DEFAULT '{}',
                                            groups text[] DEFAULT '{}')
RETURNS TABLE (measure text, annotator_group text, grade integer, n bigint, grades bigint,
               mean double precision, sd double precision, se double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
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
        SELECT a.doc, w.annotator_group, a.grade::integer AS grade, count(*) AS times
          FROM annotations a JOIN annotators w ON w.annotator = a.annotator
         WHERE a.aspect = annotation_means.aspect AND w.annotator_group = ANY (asked)
         GROUP BY a.doc, w.annotator_group, a.grade),
    counted AS (
        SELECT * FROM given
         UNION ALL
        SELECT g.doc, NULL, g.grade, sum(g.times)::bigint FROM given g GROUP BY g.doc, g.grade)
    SELECT named[t.at], c.annotator_group, c.grade, count(*), sum(c.times)::bigint, avg(t.value), stddev_samp(t.value),
           stddev_samp(t.value) / sqrt(count(*))
      FROM counted c JOIN told t ON t.doc = c.doc
     GROUP BY t.at, c.annotator_group, c.grade
     ORDER BY t.at, c.annotator_group COLLATE "C" NULLS LAST, c.grade;
END
$$;
COMMENT ON FUNCTION annotation_means(text, text[], text[]) IS
'Mean of each measure over the documents that received each grade, by group of annotators, with n and standard error';
