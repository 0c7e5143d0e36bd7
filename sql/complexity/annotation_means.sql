-- annotation_means: a measure of the documents that people gave each grade: one row a measure, group of annotators and
-- grade; the group NULL is all of them together.
--
--   mean = sum of values / n;  sd = sqrt(sum (value - mean)² / (n - 1));  se = sd / sqrt(n)
--
-- n counts documents: one that several of a group gave the same grade counts once there, since its measure is one value
-- and not several independent ones; one that they gave different grades counts under each. grades: how often it was
-- given to them. sd and se are NULL for one document. A grade that was not given, or to documents without the measure
-- alone, has no row.
-- Raises IR108, IR111, IR202, IR405 as annotation_measures and annotation_groups.
CREATE OR REPLACE FUNCTION annotation_means(aspect text DEFAULT 'complexity', measures text[] DEFAULT '{}',
                                            groups text[] DEFAULT '{}')
RETURNS TABLE (measure text, annotator_group text, grade integer, n bigint, grades bigint,
               mean double precision, sd double precision, se double precision)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
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
    'A measure of the documents that people gave each grade, by group of annotators: mean, n, standard error';
