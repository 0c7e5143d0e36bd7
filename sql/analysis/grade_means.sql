-- grade_means: what people's grades mean by a measure: mean and standard error of the measure over the documents that got each grade,
-- one row a group of annotators and grade, in their order.
--
-- A document that several of a group gave the same grade counts once; one that they gave different grades counts under each.
-- standard_error: of the mean, from the n - 1 deviation; NULL for one document. annotated: grades given, also to documents without the
-- measure. everyone: the annotators as one group, named NULL, in place of their groups.
-- Raises IR108 no such measure, IR202 an aspect other than complexity and credibility.
CREATE OR REPLACE FUNCTION grade_means(measure text, aspect text DEFAULT 'complexity', everyone boolean DEFAULT false)
RETURNS TABLE (annotator_group text, grade smallint, documents bigint, annotated bigint, mean double precision,
               standard_error double precision)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    value CONSTANT text := measure_column(grade_means.measure);
BEGIN
    IF grade_means.aspect IS NULL OR grade_means.aspect NOT IN ('complexity', 'credibility') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('grades of %s', coalesce(quote_literal(aspect), 'NULL')),
            HINT = 'Documents are graded by complexity or credibility.';
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT g.whose, g.grade, count(d.%1$s), sum(g.annotated)::bigint, avg(d.%1$s ORDER BY d.id),'
        '       stddev_samp(d.%1$s ORDER BY d.id) / sqrt(count(d.%1$s))'
        '  FROM (SELECT CASE WHEN NOT $2 THEN o.annotator_group END AS whose, n.grade, n.doc, count(*) AS annotated'
        '          FROM annotations n JOIN annotators o USING (annotator) WHERE n.aspect = $1 GROUP BY 1, 2, 3) g'
        '  LEFT JOIN measured_documents d ON d.id = g.doc GROUP BY 1, 2 ORDER BY g.whose COLLATE "C", g.grade', value)
        USING grade_means.aspect, grade_means.everyone;
END
$$;
COMMENT ON FUNCTION grade_means(text, text, boolean) IS 'Mean and standard error of a measure by grade and group of annotators';
